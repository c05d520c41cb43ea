-- The bob starts along the rod.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
constraint("rod", norm2(a) - 1)
start { a = {1, 0}, ["a.dot"] = {1, 0} }
