-- Good at the start, infinite soon after: x = 1/(1 - t).
local x = coordinate "x"
lagrangian(x.dot^2/2 + x^4/2)
start { x = 1, ["x.dot"] = 1 }
