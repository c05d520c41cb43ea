-- Nothing is said about b.
local a, b = point("a", 2), point("b", 2)
lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2)
start { a = {1, 0} }
