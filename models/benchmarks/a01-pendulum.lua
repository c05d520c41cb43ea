-- Problem A01 of the IFToMM benchmark library: a mass of 1 kg on a rod of 1 m without weight, let go from (-1, 0).
title "Simple pendulum (IFToMM A01)"
gravity{0, -9.81}
local bob = body2("bob", { mass = 1, inertia = 0, at = {-1, 0}, draw = false })
revolute("pin", world, bob, { at = {0, 0} })
draw { bar(origin, bob.centre), ball(bob.centre, 0.05) }
