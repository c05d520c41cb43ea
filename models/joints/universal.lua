-- A rod hangs from a universal joint (SI units): it swings about x, fixed in the ceiling, and about y, fixed in the
-- rod.
title "Universal joint: a rod that swings both ways"
gravity{0, 0, -9.81}
local rod = body("rod", { mass = 1.2, inertia = {0.05, 0.06, 0.02}, at = {0, 0, -0.4} })
local joint = universal("joint", world, rod, { at = {0, 0, 0}, axis = {1, 0, 0}, axis2 = {0, 1, 0}, reactions = true,
                                               angle1 = { start = 0.6, rate = 1 },
                                               angle2 = { start = -0.4, rate = 2 } })
