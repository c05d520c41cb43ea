-- Two pulleys with a belt, not crossed: both turn the same way. The difference of the belt's two pulls drives the
-- second (SI units).
title "Belt: two pulleys"
local drive = param("drive", 2)
local small = body("small", { shape = cylinder{radius = 0.1, length = 0.03, along = "y"}, mass = 1, at = {0, 0, 0} })
local large = body("large", { shape = cylinder{radius = 0.3, length = 0.03, along = "y"}, mass = 6, at = {1, 0, 0} })
local one = revolute("one", world, small, { at = {0, 0, 0}, axis = {0, 1, 0}, angle = { torque = drive } })
local two = revolute("two", world, large, { at = {1, 0, 0}, axis = {0, 1, 0}, angle = { damping = 0.05 } })
local strap = belt("strap", one, two, { radii = {0.1, 0.3} })
observe("pull", strap.pull)
