-- The double spherical pendulum of Wendlandt & Marsden (1997) in spherical angles instead of constraints, from the same
-- start (SI units). The motion is that of double-spherical-pendulum.lua; the mass matrix depends on q. With del the two agree step
-- by step, to round-off (their Theorem 1): it discretises the embedded points.
title "Double spherical pendulum in a chart"
local g      = param("g", 9.81)
local m1, m2 = param("m1", 2.0), param("m2", 3.5)
local l1, l2 = param("l1", 4.0), param("l2", 3.0)

local function rod(name, l, x, y, u, v)                  -- a rod in angles, and its start from x, y and their rates u, v
  local theta, phi = coordinate("theta" .. name), coordinate("phi" .. name)
  local rho = sqrt(x^2 + y^2)
  start { ["theta" .. name] = asin(rho/l), ["phi" .. name] = atan2(y, x),
          ["theta" .. name .. ".dot"] = (x*u + y*v)/rho/sqrt(l^2 - rho^2), ["phi" .. name .. ".dot"] = (x*v - y*u)/rho^2 }
  return {l*sin(theta)*cos(phi), l*sin(theta)*sin(phi), -l*cos(theta)}
end
local x1, y1, u1, v1 = param("x1", 2.820), param("y1", 0.025), param("u1", 3.381), param("v1", 2.506)
local x2, y2, u2, v2 = param("x2", 5.085), param("y2", 0.105), param("u2", 2.497), param("v2", 10.495)
local a = embed("a", rod(1, l1, x1, y1, u1, v1))
local b = embed("b", a + rod(2, l2, x2 - x1, y2 - y1, u2 - u1, v2 - v1))

lagrangian(m1/2*norm2(a.dot) + m2/2*norm2(b.dot) - g*(m1*a.z + m2*b.z))
draw { bar(origin, a), bar(a, b) }
