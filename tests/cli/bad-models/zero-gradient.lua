-- The square of a constraint has no gradient where it holds.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2)
constraint("square", (a.x - 1)^2)
start { a = {1, 0} }
