-- Returns a parameter: y at the start and the observable x are the value of -D x=..
local x = param("x", 1)
local y = coordinate "y"
lagrangian(y.dot^2/2)
start { y = x }
observe("x", x)
