-- A puck on an inclined table, on springs along two directions of the table and one that turns it (SI units).
title "Planar joint: a puck on an inclined table"
gravity{0, 0, -9.81}
local puck = body("puck", { shape = cylinder{radius = 0.1, length = 0.04}, mass = 0.8, at = {1, 0, 0.5},
                            turned = {axis = {0, 1, 0}, angle = atan(0.5)} })      -- flat on the table
planar("table", world, puck, { at = {1, 0, 0.5}, axis = {1, 0, 2}, x_axis = {0, 1, 0}, reactions = true,
                               x = { start = 0.2, rate = 1, stiffness = 30 }, y = { start = -0.1, stiffness = 50 },
                               angle = { rate = 8, stiffness = 0.02, damping = 0.001 } })
