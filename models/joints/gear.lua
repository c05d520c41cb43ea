-- Two gear wheels on the ground, 20 and 50 teeth, driven by a torque on the first against a torque on the second.
title "Gear: two wheels"
local drive, load = param("drive", 3), param("load", -1)
local small = body("small", { shape = cylinder{radius = 0.1, length = 0.03}, mass = 1, at = {0, 0, 0} })
local large = body("large", { shape = cylinder{radius = 0.25, length = 0.03}, mass = 6, at = {0.35, 0, 0} })
local one = revolute("one", world, small, { at = {0, 0, 0}, angle = { torque = drive, rate = 5 } })
local two = revolute("two", world, large, { at = {0.35, 0, 0}, angle = { torque = load } })
local mesh = gear("mesh", one, two, { teeth = {20, 50} })
observe("tooth", mesh.effort/0.25)                       -- the force between the teeth
