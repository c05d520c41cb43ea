-- A corner of a car on double wishbones (SI units): lower and upper arm on the chassis, the upright between them,
-- steered by a tie rod, the wheel on the upright; a spring with a damper from the lower arm, a soft tyre on a road with
-- a bump.
-- The quarter of the car moves up and down only. x is forwards, y to the left, z up.
title "Suspension of a car's corner"
local k, c    = param("k", 60000), param("c", 4000)        -- spring and damper, along their own line
local tyre    = param("tyre", 200000)                      -- stiffness of the tyre
local bump, v = param("bump", 0.05), param("v", 10)        -- height of the bump, speed of the car
local R, preload = 0.3, param("preload", 0.08)
gravity{0, 0, -9.81}

local chassis = body("chassis", { mass = 350, inertia = {80, 80, 80}, at = {0, -0.4, 0.5}, draw = false })
local lower   = body("lower", { shape = box{0.3, 0.4, 0.03}, mass = 6, at = {0, 0.2, 0.2} })
local upper   = body("upper", { shape = box{0.2, 0.3, 0.03}, mass = 3, at = {0, 0.2, 0.5} })
local upright = body("upright", { shape = box{0.06, 0.08, 0.35}, mass = 10, at = {0, 0.4, 0.34} })
local wheel   = body("wheel", { shape = cylinder{radius = R, length = 0.2, along = "y"}, mass = 15, at = {0, 0.5, R} })

local heave = prismatic("heave", world, chassis, { at = {0, -0.4, 0.5}, axis = {0, 0, 1}, slide = 0 })
local lower_hinge = revolute("lower_hinge", chassis, lower, { at = {0, 0, 0.2}, axis = {1, 0, 0}, angle = 0 })
revolute("upper_hinge", chassis, upper, { at = {0, 0.05, 0.5}, axis = {1, 0, 0} })
local lower_ball = spherical("lower_ball", lower, upright, { at = {0, 0.4, 0.2}, reactions = true })
spherical("upper_ball", upper, upright, { at = {0, 0.35, 0.5} })
local tie = distance("tie", chassis, upright, { from = {-0.12, 0.02, 0.25}, to = {-0.12, 0.4, 0.25} })
local axle = revolute("axle", upright, wheel, { at = {0, 0.5, R}, axis = {0, 1, 0}, angle = { rate = v/R } })

-- The strut from the lower arm to the chassis.
local foot, head = lower:point{0, 0.05, 0.015}, chassis:point{0, 0.5, 0.3}
local length = norm(head - foot)
local free_length = norm{0, -0.15, 0.585} + preload        -- longer than in the position above
lagrangian(-k/2*(length - free_length)^2)
force(length, -c*length.dot)

-- The road rises by `bump` over 0.5 m after 1 m; the tyre is a spring between road and wheel.
local s = min(max((v*time() - 1)/0.5, 0), 1)
local road = bump*s^2*(3 - 2*s)
local deflection = wheel.centre.z - R - road
lagrangian(-tyre/2*min(deflection, 0)^2)

observe("wheel_load", -tyre*min(deflection, 0))
observe("strut", -k*(length - free_length) - c*length.dot)
local axis = wheel:direction{0, 1, 0}
observe("camber", asin(axis.z))
local kingpin = upright:point{0, -0.05, 0.16} - upright:point{0, 0, -0.14}
observe("kingpin", atan2(-kingpin.y, kingpin.z))           -- seen from behind
observe("toe", atan2(axis.x, axis.y))
observe("steer_force", tie.tension)
draw { ground(), spring(foot, head), bar(tie.place, chassis:point{-0.12, 0.42, -0.25}),
       box(chassis.centre, {0.5, 0.3, 0.4}, chassis.rotation):colour "grey" }
