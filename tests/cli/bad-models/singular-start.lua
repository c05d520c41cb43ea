-- A parallelogram laid flat goes on as one, or crosses over.
local a, b = point("a", 2), point("b", 2)
lagrangian((norm2(a.dot) + norm2(b.dot))/2 - a.y)
constraint("crank", norm2(a) - 1)
constraint("rocker", norm2(b - {2, 0}) - 1)
constraint("coupler", norm2(b - a) - 4)
start { a = {1, 0}, b = {3, 0} }
