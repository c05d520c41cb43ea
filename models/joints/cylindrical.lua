-- A sleeve on an inclined shaft: it slides down and swings about the shaft, because its centre is not on it (SI units).
title "Cylindrical joint: a sleeve on an inclined shaft"
gravity{0, 0, -9.81}
local sleeve = body("sleeve", { mass = 1.5, inertia = {0.02, 0.03, 0.025}, at = {0, 0.1, 0} })
local shaft = cylindrical("shaft", world, sleeve, { at = {0, 0, 0}, axis = {2, 0, -1},
                                                    angle = { rate = 3 }, slide = { start = 0.2, rate = 0.5 } })
