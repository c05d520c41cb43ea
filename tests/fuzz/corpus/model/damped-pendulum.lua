-- A pendulum in oil, in SI units: a linear drag on the bob. With c/(2m) = 0.2 per second the swing halves in 3.5 s.
title "Damped pendulum"
local m, g, l, c = param("m", 1), param("g", 9.81), param("l", 1), param("c", 0.4)

local a = point("a", 2)
lagrangian(m/2*norm2(a.dot) - m*g*a.y)
constraint("rod", norm2(a) - l^2)
force(a.x, -c*a.dot.x)
force(a.y, -c*a.dot.y)

start { a = {l, 0} }                                     -- let go from the side
observe("angle", atan2(a.x, -a.y))
observe("power", -c*norm2(a.dot))                        -- what the drag takes from the energy
draw { bar(origin, a), ball(a) }
