-- Bennett's linkage (SI units): four bars in space, four hinges whose axes are neither parallel nor in one point. 20
-- constraints of hinges on 18 freedoms, and yet it moves, because sin(alpha)/a = sin(beta)/b: three depend on the others.
title "Bennett's linkage"
local g       = param("g", 9.81)
local a, alpha = 0.4, math.rad(30)                       -- length and twist of bars 1 and 3
local b       = 0.6                                      -- of bars 2 and 4; bar 4 is the ground
local beta    = math.asin(b*math.sin(alpha)/a)
local theta1  = math.rad(option("start_angle", 70))

-- The frames of the hinges at the start: turn about the hinge's axis z, along the bar x, twist about it (Denavit-Hartenberg).
local theta2 = 2*math.atan(math.sin((beta + alpha)/2)/math.sin((beta - alpha)/2)/math.tan(theta1/2))
local function cross3(u, v) return { u[2]*v[3] - u[3]*v[2], u[3]*v[1] - u[1]*v[3], u[1]*v[2] - u[2]*v[1] } end
local function mix(p, u, q, v) return { p*u[1] + q*v[1], p*u[2] + q*v[2], p*u[3] + q*v[3] } end
local at, x, z = { {0, 0, 0} }, {1, 0, 0}, { {0, 0, 1} }
for i, theta in ipairs{ theta1, theta2, -theta1 } do
  local length, twist = i % 2 == 1 and a or b, i % 2 == 1 and alpha or beta
  x = mix(math.cos(theta), x, math.sin(theta), cross3(z[i], x))
  at[i + 1] = mix(1, at[i], length, x)
  z[i + 1] = mix(math.cos(twist), z[i], math.sin(twist), cross3(x, z[i]))
end

local ground = { at = function(p) return vector(p) end, turn = function(d) return vector(d) end }
-- A bar of mass 1 kg per metre between two points; all attitudes are zero at the start.
local function rod(name, from, to)
  local mid, along = mix(0.5, from, 0.5, to), mix(1, to, -1, from)
  local length = math.sqrt(along[1]^2 + along[2]^2 + along[3]^2)
  local r, c = rotation("r" .. name), point("c" .. name)
  local spin = dot(vector(along), r.omega)/length
  local thin, long = length*0.01^2/2, length^3/12
  lagrangian(length/2*norm2(c.dot) + long/2*(norm2(r.omega) - spin^2) + thin/2*spin^2 - length*g*c.z)
  start { ["c" .. name] = mid, ["r" .. name] = {1, 0, 0, 0} }
  local body = { at = function(p) return c + r:apply(mix(1, p, -1, mid)) end, turn = function(d) return r:apply(d) end }
  draw { bar(body.at(from), body.at(to)) }
  return body
end
local function hinge(name, one, other, i)
  local gap, axis = one.at(at[i]) - other.at(at[i]), other.turn(z[i])
  local u = cross3(z[i], math.abs(z[i][1]) < 0.5 and {1, 0, 0} or {0, 1, 0})
  for _, k in ipairs{"x", "y", "z"} do constraint(name .. k, gap[k]) end
  constraint(name .. "u", dot(one.turn(u), axis))
  constraint(name .. "v", dot(one.turn(cross3(z[i], u)), axis))
end
local bars = { rod(1, at[1], at[2]), rod(2, at[2], at[3]), rod(3, at[3], at[4]) }
hinge("h1", ground, bars[1], 1)
hinge("h2", bars[1], bars[2], 2)
hinge("h3", bars[2], bars[3], 3)
hinge("h4", bars[3], ground, 4)
draw { bar(vector(at[4]), vector(at[1])) }
