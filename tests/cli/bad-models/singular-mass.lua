-- y has no mass, and no constraint holds it.
local x, y = coordinate "x", coordinate "y"
lagrangian(x.dot^2/2 - x^2/2 - y^2/2)
start { x = 1, y = 0 }
