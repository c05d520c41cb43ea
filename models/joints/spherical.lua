-- The heavy top of models/heavy-top.lua as a body with a spherical joint (SI units).
title "Spherical joint: a heavy top"
local m, R, h, spin = param("m", 0.2), param("R", 0.05), param("h", 0.06), param("spin", 150)
gravity{0, 0, -9.81}
local tilt = pi/3                                        -- turned about x
local top = body("top", { mass = m, inertia = {m*R^2/4, m*R^2/4, m*R^2/2}, at = {0, -h*sin(tilt), h*cos(tilt)},
                          turned = {axis = {1, 0, 0}, angle = tilt}, omega = {0, -spin*sin(tilt), spin*cos(tilt)},
                          draw = false })
spherical("pivot", world, top, { at = {0, 0, 0}, reactions = true })
observe("tilt", acos(top:direction{0, 0, 1}.z))
observe("spin", top.omega.z)
draw { bar(origin, top:point{0, 0, 0.6*h}), disc(top.centre, {R, 0.15*R}, top.rotation) }
