-- The Chaplygin sleigh: a body on a horizontal plane that slides on a blade. The centre of mass is at a distance a in
-- front of the blade. (Neimark & Fufaev 1972, III.2; Bloch 2003, 1.7.) With the speed u along the blade and the turning
-- rate w = th.dot
--     u' = a w^2,   w' = -m a u w/(I + m a^2),
-- the energy is E = m u^2/2 + (I + m a^2) w^2/2; every motion but u < 0, w = 0 ends straight, with the centre of mass
-- ahead and w = 0:
--     u = U tanh(k (t - t0)),  w = W/cosh(k (t - t0)),  U = sqrt(2E/m),  W = sqrt(2E/(I + m a^2)),  k = m a U/(I + m a^2)
title "Chaplygin sleigh"
local m, I, a = param("m", 1), param("I", 0.5), param("a", 0.4)

local x, y, th = coordinate("x"), coordinate("y"), coordinate("th")    -- where the blade is, and its direction
local cx, cy = x.dot - a*th.dot*sin(th), y.dot + a*th.dot*cos(th)      -- velocity of the centre of mass
lagrangian(m/2*(cx^2 + cy^2) + I/2*th.dot^2)
constraint("blade", x.dot*sin(th) - y.dot*cos(th))

start { x = 0, y = 0, th = 0, ["x.dot"] = -1, ["y.dot"] = 0, ["th.dot"] = 0.1 }
observe("speed", x.dot*cos(th) + y.dot*sin(th))
draw { bar({x - 0.3*cos(th), y - 0.3*sin(th)}, {x + 0.3*cos(th), y + 0.3*sin(th)}),
       ball({x + a*cos(th), y + a*sin(th)}, 0.1) }
