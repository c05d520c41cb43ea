-- The chain of models/hinged-chain.lua with its end pinned to the ground as well, its links along an arc at the start
-- (SI units). Two of the pin's constraints are independent of the hinges: the chain moves in a plane.
title "Hinged chain, its end pinned"
local N = option("N", 20)
local l, m = option("length", 0.05), option("mass", 0.1) -- of a link
gravity{0, 0, -9.81}
local before, x, z = world, 0, 0
for i = 1, N do
  local slope = 0.3*(4 - 6*(i - 1)/(N - 1))
  local dx, dz = l*math.cos(slope), -l*math.sin(slope)
  local link = body("link" .. i, { shape = box{l, 0.1, 0.01}, mass = m, turned = {axis = {0, 1, 0}, angle = slope},
                                   at = {x + dx/2, 0, z + dz/2} })
  revolute("hinge" .. i, before, link, { at = {x, 0, z}, axis = {0, 1, 0} })
  before, x, z = link, x + dx, z + dz
end
local tip = before:point{l/2, 0, 0}
constraint("pinx", tip.x - x)
constraint("pinz", tip.z - z)
observe("end_height", before.centre.z)
