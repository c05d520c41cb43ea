-- norm2(b) instead of norm2(b.dot).
local a, b = point("a", 2), point("b", 2)
lagrangian(norm2(a.dot)/2 + norm2(b)/2 - 9.81*(a.y + b.y))
constraint("rod", norm2(a - b) - 1)
start { a = {0, 0}, b = {1, 0} }
