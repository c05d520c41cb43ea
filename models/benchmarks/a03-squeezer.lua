-- Andrews' squeezing mechanism: seven bodies in the plane, three loops, driven by a constant torque (SI units). Problem
-- A03 of the IFToMM benchmark library, and of the Test Set for IVP Solvers (Bari), whose figures at t = 0.03 are:
--   beta  15.81077119629904    theta -15.75637105984298   gamma 0.04082224013073101   phi -0.5347301163226948
--   delta 0.5244099658805304   omega 0.5347301163226948   epsilon 1.048080741042263
-- The crank makes 2.5 turns; steps of 1e-5 follow it.
title "Andrews' squeezing mechanism"
local mom, c0, l0 = param("torque", 0.033), param("c0", 4530), param("l0", 0.07785)
local ra, rr, da, d   = 0.00092, 0.007, 0.0115, 0.028
local sa, sb, sc, sd, ss = 0.01874, 0.01043, 0.018, 0.02, 0.035
local ea, e, ta, tb, zt  = 0.01421, 0.02, 0.02308, 0.00916, 0.04
local fa, zf, ua, ub, u  = 0.01421, 0.02, 0.01228, 0.00449, 0.04
local A, B, C = {-0.06934, -0.00227}, {-0.03635, 0.03273}, {0.014, 0.072}

local function part(name, m, I) return body2(name, { mass = m, inertia = I, draw = false }) end
local k1, k2 = part("k1", 0.04325, 2.194e-6), part("k2", 0.00365, 4.410e-7)      -- crank OF, rod FE
local k3 = part("k3", 0.02373, 5.255e-6)                                         -- triangle BDE
local k4, k5 = part("k4", 0.00706, 5.667e-7), part("k5", 0.07050, 1.169e-5)      -- rods EG, GA
local k6, k7 = part("k6", 0.00706, 5.667e-7), part("k7", 0.05498, 1.912e-5)      -- rods EH, HA

-- The rod in line with the crank; the other angles are guesses.
local function pin(name, a, b, p, q, angle)
  return revolute(name, a, b, { first = { at = p }, second = { at = q }, angle = angle })
end
local O = pin("O", world, k1, {0, 0}, {-ra, 0}, { start = free(-0.06), torque = mom })
local F = pin("F", k1, k2, {rr - ra, 0}, {da, 0}, 0)
pin("B", world, k3, B, {-sb, sa}, free(0.5))
local G = pin("G", k5, k4, {zt - ta, -tb}, {0, e - ea}, free(0.2))
pin("A5", world, k5, A, {-ta, -tb}, free(0.5))
local H = pin("H", k7, k6, {ub, ua - u}, {fa - zf, 0}, free(-0.2))
pin("A7", world, k7, A, {ub, ua}, free(1.2))
pin("E3", k2, k3, {da - d, 0}, {-sb, sa - ss})
pin("E4", k2, k4, {da - d, 0}, {0, -ea})
pin("E6", k2, k6, {da - d, 0}, {fa, 0})

local D = k3:point{sd - sb, sa - sc}
local stretch = norm(D - vector(C)) - l0
lagrangian(-c0/2*stretch^2)

observe("beta", k1.angle)
observe("theta", k2.angle - k1.angle)
observe("gamma", k3.angle)
observe("phi", k4.angle - k5.angle)
observe("delta", k5.angle)
observe("omega", k6.angle - k7.angle)
observe("epsilon", k7.angle)
local E = k2:point{da - d, 0}
draw { bar(origin, F.place), bar(F.place, E), bar(B, D), bar(D, E), bar(E, B), bar(E, G.place), bar(G.place, A),
       bar(E, H.place), bar(H.place, A), spring(D, C) }
