-- A heavy nut runs down a vertical screw (SI units): the pitch makes it turn.
title "Screw joint: a nut on a screw"
local pitch = param("pitch", 0.05)
gravity{0, 0, -9.81}
local nut = body("nut", { shape = cylinder{radius = 0.06, length = 0.05}, mass = 2, at = {0.3, 0, 1} })
local thread = screw("thread", world, nut, { at = {0.3, 0, 1}, axis = {0, 0, 1}, pitch = pitch, angle = { rate = 2 },
                                             reactions = true })
observe("fallen", -thread.slide)
