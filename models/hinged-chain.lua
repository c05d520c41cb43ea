-- A chain of N flat links on hinges (SI units), like the track of a digger, let go from a slope. All links have the
-- same terms, so the model has as many kernels for 1,000 links as for 10: it loads and steps in linear time.
title "Hinged chain"
local N, slope = option("N", 20), 0.3
local l, m = option("length", 0.05), option("mass", 0.1) -- of a link
gravity{0, 0, -9.81}
local before = world
for i = 1, N do
  local link = body("link" .. i, { shape = box{l, 0.1, 0.01}, mass = m, turned = {axis = {0, 1, 0}, angle = slope},
                                   at = {(i - 0.5)*l*cos(slope), 0, -(i - 0.5)*l*sin(slope)} })
  revolute("hinge" .. i, before, link, { at = {(i - 1)*l*cos(slope), 0, -(i - 1)*l*sin(slope)}, axis = {0, 1, 0} })
  before = link
end
observe("end_height", before.centre.z)
