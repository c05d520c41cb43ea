-- norm2(a) instead of norm2(a.dot).
local a = point("a", 2)
lagrangian(norm2(a)/2 - 9.81*a.y)
start { a = {0, 0} }
