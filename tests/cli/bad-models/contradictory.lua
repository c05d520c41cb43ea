-- A rod of two lengths.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2)
constraint("short", norm2(a) - 1)
constraint("long", norm2(a) - 2)
start { a = {1, 0} }
