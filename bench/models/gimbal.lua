-- A fast rotor in two gimbals that weigh something (SI units); its centre is above the axes, and all three angles are
-- coordinates.
title "Gyroscope in two gimbals"
gravity{0, 0, -9.81}
local outer = body("outer", { mass = 0.3, inertia = {2e-3, 2e-3, 3e-3}, at = {0, 0, 0} })
local inner = body("inner", { mass = 0.2, inertia = {1e-3, 1.2e-3, 1e-3}, at = {0, 0, 0} })
local rotor = body("rotor", { mass = 1, inertia = {1.5e-3, 1.5e-3, 2.5e-3}, at = {0, 0, 0.03} })
local psi = revolute("psi", world, outer,
                     { at = {0, 0, 0}, axis = {0, 0, 1}, angle = { start = 0.2, rate = 0.5, damping = 0.001 } })
local theta = revolute("theta", outer, inner, { at = {0, 0, 0}, axis = {1, 0, 0}, angle = { start = 0.8, rate = 0 } })
local phi = revolute("phi", inner, rotor, { at = {0, 0, 0}, axis = {0, 0, 1}, angle = { start = 0, rate = 120 } })
observe("psi", psi.angle)
observe("theta", theta.angle)
observe("phi", phi.angle)
