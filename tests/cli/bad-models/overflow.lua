-- exp(exp(7)) is more than a double can hold.
local x = coordinate "x"
lagrangian(x.dot^2/2 + exp(exp(x)))
start { x = 7 }
