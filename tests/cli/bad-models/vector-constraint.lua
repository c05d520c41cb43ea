-- A constraint is one scalar; this is a vector.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2)
constraint("pin", a)
start { a = {0, 0} }
