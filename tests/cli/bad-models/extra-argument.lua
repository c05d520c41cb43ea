-- A spring whose potential is dropped: two arguments instead of their sum.
local x = coordinate "x"
lagrangian(x.dot^2/2, -50*x^2)
start { x = 1 }
