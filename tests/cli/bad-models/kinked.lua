-- The rod begins to move at t = 0.505, all at once: its second derivative, which is all that naive knows of it, is zero.
local a, t = point("a", 2), time()
lagrangian(norm2(a.dot)/2 - 9.81*a.y)
constraint("rod", a.x - max(0, t - 0.505))
start { a = {0, 0} }
