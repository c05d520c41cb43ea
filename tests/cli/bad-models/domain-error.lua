-- The logarithm of a negative number.
local x = coordinate "x"
lagrangian(x.dot^2/2 - log(x))
start { x = -1 }
