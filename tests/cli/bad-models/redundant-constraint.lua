-- Three bars in a row already fix the distance that 'strut' fixes again.
local a, b = point("a", 2), point("b", 2)
lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2)
constraint("left", a.x)
constraint("right", b.x - 1)
constraint("strut", b.x - a.x - 1)
start { a = {0, 0}, b = {1, 0} }
