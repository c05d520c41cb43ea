-- The floor is said twice, and friction depends on how hard it pushes: on which of the two?
local a = point("a", 2)
lagrangian(norm2(a.dot)/2 - a.y)
local push = constraint("floor", a.y)
constraint("again", 2*a.y)
force(a.x, -0.1*abs(push)*a.x.dot)
start { a = {0, 0}, ["a.dot"] = {1, 0} }
