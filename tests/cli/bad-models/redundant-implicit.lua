-- The same in angles, where the mass matrix depends on the state.
local x, y = coordinate "x", coordinate "y"
lagrangian((1 + x^2)*x.dot^2/2 + y.dot^2/2)
constraint("one", x - y)
constraint("two", 2*x - 2*y)
start { x = 1, y = 1 }
