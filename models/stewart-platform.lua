-- A Stewart platform (SI units): a plate on six legs whose lengths are prescribed, so the plate bobs, tilts and turns as the
-- legs say and no freedom is left. What is asked for is the force in each leg; the legs themselves weigh nothing.
-- Taut solves the pose from the lengths and the forces from the motion.
title "Stewart platform"
local m, g   = param("m", 200), param("g", 9.81)
local I1, I3 = param("I1", 12), param("I3", 22)          -- of the plate with its load
local R1, R2 = param("R1", 1), param("R2", 0.6)           -- radii of base and plate
local height = param("height", 1.2)
local A, f   = param("A", 0.08), param("f", 0.5)         -- stroke (m) and frequency (Hz) of the legs

local c, r = point "c", rotation "r"
local w = r.omega
lagrangian(m/2*norm2(c.dot) + (I1*(w.x^2 + w.y^2) + I3*w.z^2)/2 - m*g*c.z)

-- Joints in pairs: on the base near 0, 120 and 240 degrees, on the plate near 60, 180 and 300.
local half = 10*pi/180
local function on(radius, angle, z) return vector{radius*cos(angle), radius*sin(angle), z} end
local at_rest = on(R1, half, 0) - on(R2, pi/3 - half, height)
local base, plate = {}, {}
for k = 0, 2 do
  local b, p = 2*pi*k/3, 2*pi*k/3 + pi/3
  base[2*k + 1], plate[2*k + 1] = on(R1, b + half, 0), on(R2, p - half, 0)
  base[2*k + 2], plate[2*k + 2] = on(R1, b + 2*pi/3 - half, 0), on(R2, p + half, 0)
end
local omega, t = 2*pi*f, time()
for i = 1, 6 do
  local joint = c + r:apply(plate[i])
  local stroke = A/2*(1 - cos(omega*t))*cos(omega*t + i)                 -- each leg at its own phase; at rest at t = 0
  local force_of = constraint("leg" .. i, norm(joint - base[i]) - norm(at_rest) - stroke)
  observe("force" .. i, force_of)                        -- of the leg on the plate, in N; positive: it pushes
  draw { bar(base[i], joint), bar(joint, c + r:apply(plate[i % 6 + 1])) }
end
start { c = {0, 0, height}, r = {1, 0, 0, 0} }
observe("tilt", acos(1 - 2*(r.x^2 + r.y^2)))
draw { disc(c, {R2, 0.03}, r) }
