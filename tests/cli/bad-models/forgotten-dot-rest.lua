-- x^2 instead of x.dot^2, at a start where nothing pulls: consistent, and nothing moves.
local x = coordinate "x"
lagrangian(x^2/2)
start { x = 0 }
