-- The two circles do not meet.
local a = point("a", 2)
lagrangian(norm2(a.dot)/2)
constraint("first", norm2(a) - 1)
constraint("second", norm2(a - {5, 0}) - 1)
start { a = {free(1), free(1)} }
