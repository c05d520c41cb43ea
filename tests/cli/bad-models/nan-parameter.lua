-- Not a number.
local m = param("m", 0/0)
local a = point("a", 2)
lagrangian(m*norm2(a.dot)/2)
start { a = {1, 0} }
