-- 'lenght' is nowhere declared.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
constraint("rod", norm2(a) - lenght^2)
start { a = {1, 0} }
