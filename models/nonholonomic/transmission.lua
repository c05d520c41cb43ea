-- A continuously variable transmission that a pendulum drives, in the manner of Modin & Verdier 2020: two shafts on springs,
-- x and y, whose speeds are in the ratio sin(s) : cos(s), and s is the angle of a pendulum that turns over and over.
-- Without coupling the pendulum feels nothing of the shafts. With it (0.2, for one) the energy of reversible methods
-- walks off in the long run, which that of symplectic methods under constraints on positions does not: docs/methods.md.
title "Transmission driven by a pendulum"
local k, lift, c = param("k", 1.3), param("lift", 1), param("coupling", 0)

local x, y, s = coordinate("x"), coordinate("y"), coordinate("s")
lagrangian((x.dot^2 + y.dot^2 + s.dot^2)/2 - (x^2 + k*y^2)/2 - (x^4 + y^4)/4 + lift*cos(s)
           - c*(x*sin(s + 1) + x^3/3 + y*cos(2*s)))
constraint("ratio", x.dot*sin(s) - y.dot*cos(s))

start { x = 1, y = 0.4, s = 0, ["x.dot"] = 0.5, ["y.dot"] = 0, ["s.dot"] = 2.5 }
draw { bar(origin, {sin(s), -cos(s)}), ball({sin(s), -cos(s)}, 0.08), ball({2 + x, 0}, 0.05), ball({2, y}, 0.05) }
