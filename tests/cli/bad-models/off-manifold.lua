-- y has no kinetic energy: y = x, and the start is elsewhere.
local x, y = coordinate "x", coordinate "y"
lagrangian(x.dot^2/2 - (x - y)^2/2)
start { x = 1, y = 0.5 }
