-- A point of the plane has two coordinates.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2)
start { a = {1, 0, 0} }
