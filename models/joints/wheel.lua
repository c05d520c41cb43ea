-- A coin rolls round on a table, on its edge and without slip, and nods (SI units).
title "Rolling on a plane: a coin"
local R, lean, W, w = param("R", 0.1), param("lean", 0.4), param("W", 4), param("w", 7)
gravity{0, 0, -9.81}
-- It leans to the left of its way, x; y of the coin is the axle.
local axle, up = vector{0, cos(lean), -sin(lean)}, vector{0, sin(lean), cos(lean)}
local coin = body("coin", { shape = cylinder{radius = R, length = 0.01, along = "y"}, mass = 0.3,
                            at = R*cos(lean)*vector{0, 0, 1}, turned = {axis = {1, 0, 0}, angle = -lean},
                            velocity = {R*w, 0, 0}, omega = w*axle + W*cos(lean)*up })
local grip = rolling("grip", world, coin, { at = {0, 0, 0}, normal = {0, 0, 1}, axis = axle, reactions = true })
observe("leaning", -grip.lean)
observe("spinning", grip.spin)
draw { ground() }
