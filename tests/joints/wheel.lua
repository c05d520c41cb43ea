-- The centre, the heading, the lean to the left of it and the angle of rolling; that the centre moves as the disk turns
-- about its place of contact, by hand (models/nonholonomic/tilted-disk.lua). Multipliers are the forces on the centre.
local R, m, g, lean0, W, spin = 0.1, 0.3, 9.81, 0.4, 4, 7
local I, A = m*R^2/2, m*(3*R^2 + 0.01^2)/12
local x, y, z = coordinate "x", coordinate "y", coordinate "z"
local turn, lean, roll = coordinate "turn", coordinate "lean", coordinate "roll"
local w = roll.dot - turn.dot*sin(lean)
lagrangian(m/2*(x.dot^2 + y.dot^2 + z.dot^2) + A/2*(lean.dot^2 + turn.dot^2*cos(lean)^2) + I/2*w^2 - m*g*z)
local load = constraint("height", z - R*cos(lean))
local fx = constraint("along_x", x.dot - R*(w*cos(turn) - lean.dot*cos(lean)*sin(turn)))
local fy = constraint("along_y", y.dot - R*(w*sin(turn) + lean.dot*cos(lean)*cos(turn)))
start { x = 0, y = 0, z = R*cos(lean0), turn = 0, lean = lean0, roll = 0,
        ["x.dot"] = R*spin, ["turn.dot"] = W, ["roll.dot"] = spin + W*sin(lean0) }
observe("coin.x", x)
observe("coin.y", y)
observe("coin.z", z)
observe("leaning", lean)
observe("spinning", w)
observe("grip.force.x", fx)
observe("grip.force.y", fy)
observe("grip.force.z", load)
observe("grip.torque.x", 0*x)
observe("grip.torque.y", 0*x)
observe("grip.torque.z", 0*x)
