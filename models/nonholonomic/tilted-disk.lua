-- A disk rolls without slipping, tilted, in steady motion (SI units). With the lean a from the vertical, the turning rate
-- W and the spin w about its axis it stays in it where
--     m g R sin(a) = W cos(a) ((I + m R^2) w + I/2 W sin(a)),      I = m R^2/2,
-- (Neimark & Fufaev 1972, II.4; Routh) and its centre runs round a circle of radius R w/W.
title "Tilted rolling disk"
local m, R, g = param("m", 0.3), param("R", 0.1), param("g", 9.81)
local lean0, W = param("lean0", 0.5), param("W", 4)
local I = m*R^2/2

-- The place of the centre, the heading, the lean to the left of it, and the angle of rolling.
local x, y = coordinate("x"), coordinate("y")
local turn, lean, roll = coordinate("turn"), coordinate("lean"), coordinate("roll")
local w = roll.dot - turn.dot*sin(lean)               -- angular velocity about the disk's axis
lagrangian(m/2*(x.dot^2 + y.dot^2 + (R*cos(lean)).dot^2) + I/4*(lean.dot^2 + turn.dot^2*cos(lean)^2) + I/2*w^2
           - m*g*R*cos(lean))
-- the centre moves as the disk turns about its place of contact
constraint("along_x", x.dot - R*(w*cos(turn) - lean.dot*cos(lean)*sin(turn)))
constraint("along_y", y.dot - R*(w*sin(turn) + lean.dot*cos(lean)*cos(turn)))

local w0 = (m*g*R*sin(lean0)/(W*cos(lean0)) - I/2*W*sin(lean0))/(I + m*R^2)
start { x = 0, y = 0, turn = 0, lean = lean0, roll = 0,
        ["x.dot"] = R*w0, ["y.dot"] = 0, ["turn.dot"] = W, ["roll.dot"] = w0 + W*sin(lean0) }
observe("spin", w)
observe("radius", R*w/turn.dot)
local up = vector{-sin(lean)*sin(turn), sin(lean)*cos(turn), cos(lean)}
local ahead = vector{cos(turn), sin(turn), 0}
local c = vector{x, y, R*cos(lean)}
draw { ground(), bar(c - R*up, c + R*up), bar(c - R*ahead, c + R*ahead), ball(c, 0.02) }
