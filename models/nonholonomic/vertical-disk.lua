-- A disk that stays vertical rolls on a plane without slipping (Bloch 2003, 1.4). It turns about the vertical with a
-- constant rate w and rolls with a constant rate v/R: its place of contact runs round a circle of radius v/w,
--     x = v/w sin(w t),   y = v/w (1 - cos(w t)).
title "Vertical rolling disk"
local m, R = param("m", 2), param("R", 0.4)
local I, J = m*R^2/2, m*R^2/4                         -- about its axis, and about the vertical
local v, w = param("v", 1), param("w", 0.7)

local x, y, roll, turn = coordinate("x"), coordinate("y"), coordinate("roll"), coordinate("turn")
lagrangian(m/2*(x.dot^2 + y.dot^2) + I/2*roll.dot^2 + J/2*turn.dot^2)
constraint("along_x", x.dot - R*roll.dot*cos(turn))
constraint("along_y", y.dot - R*roll.dot*sin(turn))

start { x = 0, y = 0, roll = 0, turn = 0,
        ["x.dot"] = v, ["y.dot"] = 0, ["roll.dot"] = v/R, ["turn.dot"] = w }
draw { bar({x - R*cos(turn), y - R*sin(turn), R}, {x + R*cos(turn), y + R*sin(turn), R}), ball({x, y, R}, 0.05), ground() }
