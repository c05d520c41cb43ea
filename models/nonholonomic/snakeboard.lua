-- The snakeboard of Lewis, Ostrowski, Murray & Burdick 1994: a board with wheels at both ends that are turned against each
-- other by phi, and a rotor on it that is turned by psi. The rider does both in time, and the board gathers speed
-- without touching the ground. With J + Jr + 2 Jw = m l^2 the speed u along the board obeys
--     m u/cos(phi) = (Jr/l) integral of sin(phi) psi'' dt;
-- with psi = a sin(w t), phi = b sin(w t) a period adds -2 pi w a (Jr/l) J1(b) to m u, J1 Bessel's function.
title "Snakeboard"
local m, l   = param("m", 6), param("l", 0.2)
local Jr, Jw = param("Jr", 0.072), param("Jw", 0.0013)
local J      = m*l^2 - Jr - 2*Jw
local a, b   = param("a", 0.7), param("b", 0.3)
local w      = param("w", 1)

local x, y, th = coordinate("x"), coordinate("y"), coordinate("th")
local psi, phi = coordinate("psi"), coordinate("phi")
lagrangian(m/2*(x.dot^2 + y.dot^2) + J/2*th.dot^2 + Jr/2*(th.dot + psi.dot)^2
           + Jw/2*((th.dot + phi.dot)^2 + (th.dot - phi.dot)^2))
constraint("back_wheels", y.dot*cos(th + phi) - x.dot*sin(th + phi) - l*cos(phi)*th.dot)
constraint("front_wheels", y.dot*cos(th - phi) - x.dot*sin(th - phi) + l*cos(phi)*th.dot)
local torque = constraint("rotor", psi - a*sin(w*time()))
constraint("steering", phi - b*sin(w*time()))

start { x = 0, y = 0, th = 0, psi = 0, phi = 0, ["psi.dot"] = a*w, ["phi.dot"] = b*w }
observe("speed", x.dot*cos(th) + y.dot*sin(th))
observe("rotor_torque", torque)
draw { bar({x - l*cos(th), y - l*sin(th)}, {x + l*cos(th), y + l*sin(th)}),
       bar({x - 0.1*cos(th + psi), y - 0.1*sin(th + psi)}, {x + 0.1*cos(th + psi), y + 0.1*sin(th + psi)}),
       bar({x - l*cos(th) - 0.05*cos(th + phi), y - l*sin(th) - 0.05*sin(th + phi)},
           {x - l*cos(th) + 0.05*cos(th + phi), y - l*sin(th) + 0.05*sin(th + phi)}),
       bar({x + l*cos(th) - 0.05*cos(th - phi), y + l*sin(th) - 0.05*sin(th - phi)},
           {x + l*cos(th) + 0.05*cos(th - phi), y + l*sin(th) + 0.05*sin(th - phi)}) }
