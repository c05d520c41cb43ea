-- A plate on a hinge whose axis is tilted by 45 degrees, with a torsion spring and a damper (SI units).
title "Revolute joint: a plate on a tilted hinge"
local k, c = param("k", 6), param("c", 0.2)
gravity{0, 0, -9.81}
local plate = body("plate", { shape = box{0.6, 0.4, 0.02}, density = 500, at = {0.3, 0, 0} })
local hinge = revolute("hinge", world, plate, { at = {0, 0, 0}, axis = {0, 1, 1}, reactions = true,
                                                angle = { start = 0.5, rate = 1, stiffness = k, damping = c } })
observe("height", plate:point{0.3, 0.2, 0}.z)            -- of a corner
observe("effort", hinge:effort())                        -- of spring and damper
