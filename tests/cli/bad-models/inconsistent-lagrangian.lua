-- p1 = 1 for ever, but its rate is 1.
local q1 = coordinate "q1"
lagrangian(q1.dot + q1)
start { q1 = 1 }
