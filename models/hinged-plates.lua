-- Two plates in free flight, joined by a hinge along one edge each, like a satellite with its panel (SI units). The hinge is five
-- constraints: a point in common, and the axis of the first plate normal to two directions of the second. Energy, momentum
-- and angular momentum are conserved.
title "Two plates on a hinge"
local plates = {
  { mass = param("m1", 4), size = {1, 0.8, 0.05} },
  { mass = param("m2", 1), size = {1.2, 0.8, 0.03} },
}
for i, p in ipairs(plates) do
  local x, y, z = p.size[1], p.size[2], p.size[3]
  p.c, p.r = point("c" .. i), rotation("r" .. i)         -- centre of mass and attitude
  local w, m = p.r.omega, p.mass
  p.J = vector{m*(y^2 + z^2)/12*w.x, m*(x^2 + z^2)/12*w.y, m*(x^2 + y^2)/12*w.z}
  lagrangian(m/2*norm2(p.c.dot) + dot(p.J, w)/2)
  draw { box(p.c, p.size, p.r) }
end

local one, two = plates[1], plates[2]
local edge = two.c + two.r:apply{-0.6, 0, 0}
local gap = one.c + one.r:apply{0.5, 0, 0} - edge        -- the middles of the two edges
constraint("hinge_x", gap.x)
constraint("hinge_y", gap.y)
constraint("hinge_z", gap.z)
local axis = one.r:apply{0, 1, 0}
constraint("axis_x", dot(axis, two.r:apply{1, 0, 0}))
constraint("axis_z", dot(axis, two.r:apply{0, 0, 1}))

-- The first plate tumbles, the second folds towards it. The second one's centre follows from the hinge.
start { c1 = {0, 0, 0}, ["c1.dot"] = {0, 0, 0}, r1 = {1, 0, 0, 0}, ["r1.omega"] = {0.3, 0.5, 1},
        c2 = {free(1.1), free(0), free(0)}, ["c2.dot"] = {free(0), free(0.8), free(-0.6)},
        r2 = {1, 0, 0, 0}, ["r2.omega"] = {0.3, -1.5, 1} }
local L = origin
for _, p in ipairs(plates) do L = L + p.mass*cross(p.c, p.c.dot) + p.r:apply(p.J) end
observe("Lx", L.x)
observe("Ly", L.y)
observe("Lz", L.z)
local along = two.r:apply{1, 0, 0}
observe("fold", atan2(dot(along, one.r:apply{0, 0, 1}), dot(along, one.r:apply{1, 0, 0})))      -- angle of the hinge
