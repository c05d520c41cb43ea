-- Two boxes welded together tumble freely (SI units); the weld transmits what keeps them together.
title "Fixed joint: two boxes welded together"
local one = body("one", { shape = box{0.4, 0.3, 0.2}, mass = 3, at = {0, 0, 0}, omega = {2, 1, 0.5} })
local two = body("two", { shape = box{0.2, 0.2, 0.5}, mass = 2, at = {0.3, 0, 0.1}, omega = {2, 1, 0.5},
                          velocity = {0.1, -0.05, -0.3} })       -- omega x (0.3, 0, 0.1)
fixed("weld", one, two, { at = {0.2, 0, 0.1}, reactions = true })
force_at(two, {0, 0, 0.25}, {0, 0.5, 0}, "body")         -- a small thruster
