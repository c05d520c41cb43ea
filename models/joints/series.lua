-- A camera on a carriage (SI units): it slides along a rail, swings about y below it, then turns about two more axes
-- that do not meet the first; springs, a damper and a motor.
title "Series: a camera that slides, swings and turns"
gravity{0, 0, -9.81}
local camera = body("camera", { mass = 1.5, inertia = {0.02, 0.03, 0.015}, at = {0.05, 0.02, -0.6} })
local mount = series("mount", world, camera, { at = {0, 0, 0}, reactions = true,
  {"way", axis = {1, 0, 0}, slide = { start = 0.2, rate = 0.5, stiffness = 30 }},
  {"swing", axis = {0, 1, 0}, angle = { start = 0.3, rate = 1 }},
  {"pan", axis = {0, 0, 1}, at = {0.1, 0, -0.3}, angle = { start = -0.4, rate = 2, stiffness = 0.5, damping = 0.02 }},
  {"tilt", axis = {1, 1, 0}, at = {0.1, 0.05, -0.5}, angle = { start = 0.2, torque = 0.3, stiffness = 4 }} })
observe("height", camera.centre.z)
