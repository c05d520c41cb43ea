-- A cylinder rolls down a plane that is inclined by 30 degrees (SI units). Friction, a part of the reaction, turns it.
title "Rolling: a cylinder on an incline"
local R, slope = param("R", 0.2), pi/6
gravity{0, 0, -9.81}
local wheel = body("wheel", { shape = cylinder{radius = R, length = 0.3, along = "y"}, mass = 3,
                              at = {R*sin(slope), 0, R*cos(slope)} })
local way = rolling("way", world, wheel, { at = {0, 0, 0}, along = {cos(slope), 0, -sin(slope)}, reactions = true,
                                           slide = { rate = 0.3 } })
observe("turned", way.angle)
draw { plane({0, 0, 0}, {sin(slope), 0, cos(slope)}) }
