-- A collar slides on a bar that swings about a pin, held by a spring (SI units): a joint between two moving bodies.
title "Prismatic joint: a collar on a swinging bar"
gravity{0, 0, -9.81}
local bar  = body("bar", { shape = cylinder{radius = 0.02, length = 1, along = "x"}, mass = 2, at = {0.5, 0, 0} })
local collar = body("collar", { shape = box{0.1, 0.08, 0.06}, mass = 1, at = {0.4, 0, 0} })
local pin  = revolute("pin", world, bar, { at = {0, 0, 0}, axis = {0, 1, 0}, angle = 0 })
local rail = prismatic("rail", bar, collar, { at = {0.4, 0, 0}, axis = {1, 0, 0}, reactions = true,
                                              slide = { start = 0.1, rate = -0.5, stiffness = 80, rest = 0 } })
observe("collar_height", collar.centre.z)
