-- The Stewart platform of models/stewart-platform.lua with legs that weigh something (SI units): each leg is a tube on
-- a universal joint and a rod in it, which ends in a ball joint at the plate. Motors prescribe how far the rods reach;
-- asked for are their forces, and what the joints carry.
title "Stewart platform with six legs"
local m, g   = param("m", 200), param("g", 9.81)
local I1, I3 = param("I1", 12), param("I3", 22)          -- of the plate with its load
local leg    = param("leg", 8)                           -- mass of a leg
local R1, R2 = param("R1", 1), param("R2", 0.6)          -- radii of base and plate
local height = param("height", 1.2)
local A, f   = param("A", 0.08), param("f", 0.5)         -- stroke (m) and frequency (Hz) of the legs
gravity(vector{0, 0, -g})

local plate = body("plate", { mass = m, inertia = {I1, I1, I3}, at = {0, 0, height}, draw = false })
draw { disc(plate.centre, {R2, 0.03}, plate.rotation) }

-- Joints in pairs: on the base near 0, 120 and 240 degrees, on the plate near 60, 180 and 300.
local half, omega, t = 10*pi/180, 2*pi*f, time()
local function on(radius, angle, z) return vector{radius*cos(angle), radius*sin(angle), z} end
for i = 1, 6 do
  local k, is_odd = (i - 1)//2, i % 2 == 1
  local base_angle = 2*pi*k/3 + (is_odd and half or 2*pi/3 - half)
  local plate_angle = 2*pi*k/3 + pi/3 + (is_odd and -half or half)
  local foot, head = on(R1, base_angle, 0), on(R2, plate_angle, height)
  local along = head - foot
  local n = along/norm(along)
  local u = cross(n, {0, 0, 1})
  local turned = {axis = {-n.y, n.x, 0}, angle = acos(n.z)}                     -- z of both parts along the leg
  local tube = body("tube" .. i, { shape = cylinder{radius = 0.04, length = 0.7}, mass = leg*0.6, turned = turned,
                                   at = foot + 0.4*n })
  local rod  = body("rod" .. i, { shape = cylinder{radius = 0.02, length = 0.7}, mass = leg*0.4, turned = turned,
                                  at = head - 0.4*n })
  universal("base" .. i, world, tube, { at = foot, axis = u, axis2 = cross(n, u) })
  local stroke = A/2*(1 - cos(omega*t))*cos(omega*t + i)                        -- each leg at its own phase
  local motor = prismatic("motor" .. i, tube, rod, { at = foot + 0.4*n, axis = n, slide = { motion = stroke } })
  local ball_joint = spherical("ball" .. i, rod, plate, { at = head })
  observe("force" .. i, motor:effort())                  -- of the motor, in N; positive: it pushes
  observe("on_plate" .. i, norm(ball_joint.force))
end
observe("tilt", acos(1 - 2*(plate.rotation.x^2 + plate.rotation.y^2)))
