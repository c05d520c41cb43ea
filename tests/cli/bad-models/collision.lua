-- Falls into the centre: a step from one side of it to the other gives energy to the motion, which goes away with it.
local q = point("q", 2)
lagrangian(norm2(q.dot)/2 + 1/norm(q))
start { q = {1, 0} }
