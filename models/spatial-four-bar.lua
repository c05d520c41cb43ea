-- A four-bar linkage in space (SI units): a crank turns about a vertical axis, a rocker swings about a horizontal one, and a
-- coupler with a ball joint at either end connects them (RSSR). Three rigid bodies with centre and attitude, 21
-- coordinates and 19 constraints; what is left is the turning of the crank and the idle spin of the coupler about itself.
title "Four-bar linkage in space"
local g       = param("g", 9.81)
local density = param("density", 2)                      -- kg per metre of bar
local radius  = param("radius", 0.01)                    -- of the bars
local omega   = param("omega", 12)                       -- of the crank at the start

-- A uniform round bar along its own x axis, of this length: two ends, mass, and its parts of the Lagrangian.
local function body(name, length)
  local m, b = density*length, { c = point("c_" .. name), r = rotation("r_" .. name) }
  local w = b.r.omega
  lagrangian(m/2*norm2(b.c.dot) + m*(radius^2/2*w.x^2 + (radius^2/4 + length^2/12)*(w.y^2 + w.z^2))/2 - m*g*b.c.z)
  b.near, b.far = b.c - b.r:apply{length/2, 0, 0}, b.c + b.r:apply{length/2, 0, 0}
  draw { bar(b.near, b.far) }
  return b
end
local function ball_joint(name, a, b)
  for k, axis in ipairs{"x", "y", "z"} do constraint(name .. "_" .. axis, a[k] - b[k]) end
end
-- A hinge on the ground at `pivot`: the z axis of the body stays normal to two directions of space.
local function hinge(name, b, pivot, u, v)
  ball_joint(name, b.near, vector(pivot))
  local axis = b.r:apply{0, 0, 1}
  constraint(name .. "_u", dot(axis, u))
  constraint(name .. "_v", dot(axis, v))
end

local crank, coupler, rocker = body("crank", 0.1), body("coupler", 0.3), body("rocker", 0.2)
hinge("crank", crank, {0, 0, 0}, {1, 0, 0}, {0, 1, 0})                  -- about z
hinge("rocker", rocker, {0.3, 0.1, 0}, {1, 0, 0}, {0, 0, 1})            -- about y
ball_joint("pin1", coupler.near, crank.far)
ball_joint("pin2", coupler.far, rocker.far)

-- The crank along x, the rocker upright, the coupler along (2, 1, 2)/3. The pins then give the velocities: that of the coupler's
-- far end along x is twice that of its near end along y, so the rocker turns at a quarter of the crank's rate.
start { c_crank = {0.05, 0, 0}, r_crank = {1, 0, 0, 0},
        c_coupler = {0.2, 0.05, 0.1}, r_coupler = {5/sqrt(30), 0, -2/sqrt(30), 1/sqrt(30)},
        c_rocker = {0.3, 0.1, 0.1}, r_rocker = {0.5, -0.5, -0.5, -0.5},
        ["c_crank.dot"] = {0, 0.05*omega, 0}, ["r_crank.omega"] = {0, 0, omega},
        ["c_coupler.dot"] = {0.025*omega, 0.05*omega, 0}, ["r_coupler.omega"] = {0, omega/15, -11*omega/30},
        ["c_rocker.dot"] = {0.025*omega, 0, 0}, ["r_rocker.omega"] = {0, 0, omega/4} }
local tip = rocker.far - vector{0.3, 0.1, 0}
observe("rocker_angle", atan2(tip.x, tip.z))             -- from upright
observe("crank_angle", atan2(crank.far.y, crank.far.x))
draw { ball(coupler.near, 0.015), ball(coupler.far, 0.015) }
