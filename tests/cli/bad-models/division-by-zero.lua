-- The attraction is infinite at the origin, where the particle starts.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 + 1/norm(a))
start { a = {0, 0} }
