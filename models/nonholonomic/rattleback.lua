-- The rattleback (celt, wobblestone) of Kane & Levinson 1982: half an ellipsoid with axes a, b, c that rolls without
-- slipping, its centre of mass G at h below the centre O of the ellipsoid. All per unit of mass, in metres: the inertia
-- about G is A, B, C along the axes, and its axes are turned against those of the ellipsoid by the product of inertia D.
-- Spun the wrong way it begins to rattle, stops, and turns the other way.
title "Rattleback"
local a, b, c, h = param("a", 0.2), param("b", 0.03), param("c", 0.02), param("h", 0.01)
local A, B, C, D = param("A", 2e-4), param("B", 1.6e-3), param("C", 1.7e-3), param("D", -2e-5)
local g, spin    = param("g", 9.81), param("spin", -5)
local tilt       = param("tilt", 0.5*pi/180)          -- at the start, about the long axis

local G, r = point "G", rotation "r"
local w = r.omega
lagrangian(norm2(G.dot)/2 + (A*w.x^2 + B*w.y^2 + C*w.z^2)/2 + D*w.x*w.y - g*G.z)

-- The place of contact, from O in the axes of the body: where the ellipsoid's normal points down. With n the vertical
-- in these axes it is -(a^2 nx, b^2 ny, c^2 nz)/s.
local n = vector{ dot(r:apply{1, 0, 0}, {0, 0, 1}), dot(r:apply{0, 1, 0}, {0, 0, 1}), dot(r:apply{0, 0, 1}, {0, 0, 1}) }
local s = sqrt(a^2*n.x^2 + b^2*n.y^2 + c^2*n.z^2)
local rho = vector{ -a^2*n.x/s, -b^2*n.y/s, h - c^2*n.z/s }        -- from G, which is h below O
constraint("table", G.z - s + h*n.z)
local slip = G.dot + r:apply(cross(w, rho))
constraint("roll_x", slip.x)
constraint("roll_y", slip.y)

start { G = {0, 0, free(0.01)}, r = {cos(tilt/2), sin(tilt/2), 0, 0}, ["r.omega"] = {0, 0, spin},
        ["G.dot"] = {free(), free(), free()} }
observe("spin", dot(r:apply(w), {0, 0, 1}))
observe("pitch", asin(n.x))
local tip, side = r:apply{a, 0, h}, r:apply{0, b, h}
draw { ground(), bar(G - tip + 2*r:apply{0, 0, h}, G + tip), bar(G - side + 2*r:apply{0, 0, h}, G + side), ball(G, 0.005) }
