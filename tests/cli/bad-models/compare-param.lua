-- A param has no value while the script runs: the condition would always hold.
local x, c = coordinate "x", param("c", 0)
lagrangian(x.dot^2/2 - x^2/2)
if c ~= 0 then force(x, -c*x.dot) end
start { x = 1 }
