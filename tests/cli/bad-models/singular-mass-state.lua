-- The mass of y vanishes where the model starts.
local x, y = coordinate "x", coordinate "y"
lagrangian(x.dot^2/2 + x*y.dot^2/2 - x^2/2)
start { x = 0, y = 0 }
