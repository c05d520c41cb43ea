-- Three argon atoms in space: Lennard-Jones pairs and the triple-dipole force of Axilrod and Teller (1943), reduced units
-- (epsilon = sigma = m = 1; 0.072 is its strength for argon). The triple term couples all three distances in one product.
title "Argon trimer"
local nu = param("nu", 0.072)
local q = {point "q1", point "q2", point "q3"}
for i = 1, 3 do lagrangian(norm2(q[i].dot)/2) end

local a, b, c = norm2(q[1] - q[2]), norm2(q[2] - q[3]), norm2(q[3] - q[1])   -- squared distances
for _, s in ipairs{a, b, c} do lagrangian(-4*(s^-6 - s^-3)) end
lagrangian(-nu*(1 + 3*(a + b - c)*(b + c - a)*(c + a - b)/(8*a*b*c))/(a*b*c)^(3/2))  -- the cosines by their sides

start { q1 = {0, 0, 0}, q2 = {1.15, 0, 0}, q3 = {0.5, 1, 0},
        ["q1.dot"] = {0, -0.2, 0.3}, ["q2.dot"] = {0, 0.4, 0}, ["q3.dot"] = {-0.1, 0, -0.3} }
observe("area", norm(cross(q[2] - q[1], q[3] - q[1]))/2)
draw { ball(q[1]), ball(q[2]), ball(q[3]) }
