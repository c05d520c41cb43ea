-- A plank hangs from two rods that keep their lengths (SI units), and swings in all directions.
title "Distance: a plank on two rods"
gravity{0, 0, -9.81}
local plank = body("plank", { shape = box{1, 0.3, 0.05}, mass = 4, at = {0, 0, 0}, velocity = {0, 0.4, 0} })
local left  = distance("left", world, plank, { from = {-0.5, 0, 1}, to = {-0.5, 0, 0.025} })
local right = distance("right", world, plank, { from = {0.5, 0, 1}, to = {0.5, 0, 0.025} })
torque(plank, {0.1, 0, 0.3})
observe("tension", left.tension)
local corner = plank:point{0.5, 0.1, 0.2}
for _, k in ipairs{"x", "y", "z"} do observe("end_" .. k, corner[k]) end
draw { bar({-0.5, 0, 1}, plank:point{-0.5, 0, 0.025}), bar({0.5, 0, 1}, plank:point{0.5, 0, 0.025}) }
