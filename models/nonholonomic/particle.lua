-- The nonholonomic particle (Rosenberg 1977; Bloch 2003, 5.6; McLachlan & Perlmutter 2006) with springs: integrable as it
-- is; the param `bend` adds a potential that couples all three coordinates.
title "Nonholonomic particle"
local bend = param("bend", 0)

local x, y, z = coordinate("x"), coordinate("y"), coordinate("z")
lagrangian((x.dot^2 + y.dot^2 + z.dot^2)/2 - (x^2 + y^2)/2 - bend*(z^2/2 + x^2*z + x^2*y^2))
constraint("contact", z.dot - y*x.dot)

start { x = 1, y = 0.3, z = 0, ["x.dot"] = 0.2, ["y.dot"] = 0.8, ["z.dot"] = 0.06 }
draw { ball({x, y, z}, 0.05), bar({x, y, z}, {x + 0.2, y, z + 0.2*y}) }
