-- The rod is one long, the start two away.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
constraint("rod", norm2(a) - 1)
start { a = {2, 0} }
