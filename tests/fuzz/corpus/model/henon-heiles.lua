-- The Henon-Heiles system (Astron. J. 69, 1964) by its Hamiltonian, dimensionless, at their energy 1/8, where regular
-- and chaotic orbits live side by side.
title "Henon-Heiles"
local x, y   = coordinate "x", coordinate "y"
local px, py = momentum(x), momentum(y)
hamiltonian((px^2 + py^2)/2 + (x^2 + y^2)/2 + x^2*y - y^3/3)

start { x = 0, y = 0, ["p.x"] = 0.48, ["p.y"] = 0.14 }   -- 0.48^2 + 0.14^2 = 1/4
observe("radius", sqrt(x^2 + y^2))
draw { ball({x, y}) }
