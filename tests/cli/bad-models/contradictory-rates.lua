-- Pushed at two speeds.
local a, t = point("a", 2), time()
lagrangian(norm2(a.dot)/2)
constraint("slow", a.x - t)
constraint("fast", a.x - 2*t)
start { a = {0, 0}, ["a.dot"] = {1, 0} }
