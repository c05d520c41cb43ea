local x = coordinate 'x'
local p = momentum(x)
rate(x, p)
rate(p, -sin(x))
start { x = 1 }
