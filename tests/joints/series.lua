-- In the four coordinates, by matrices: every turn is about its axis through its place.
local m, g = 1.5, 9.81
local s, a, b, c = coordinate "s", coordinate "a", coordinate "b", coordinate "c"
local function product(x, y)
  local z = {}
  for i = 1, 3 do
    z[i] = {}
    for k = 1, 3 do z[i][k] = x[i][1]*y[1][k] + x[i][2]*y[2][k] + x[i][3]*y[3][k] end
  end
  return z
end
local function apply(x, v)
  local z = {}
  for i = 1, 3 do z[i] = x[i][1]*v[1] + x[i][2]*v[2] + x[i][3]*v[3] end
  return vector(z)
end
local A = {{cos(a), 0, sin(a)}, {0, 1, 0}, {-sin(a), 0, cos(a)}}
local B = {{cos(b), -sin(b), 0}, {sin(b), cos(b), 0}, {0, 0, 1}}
local h, w = math.sqrt(0.5), 1 - cos(c)                  -- Rodrigues, about (1, 1, 0)/sqrt 2
local C = {{1 - w/2, w/2, h*sin(c)}, {w/2, 1 - w/2, -h*sin(c)}, {-h*sin(c), h*sin(c), 1 - w}}
local at_b, at_c, centre = vector{0.1, 0, -0.3}, vector{0.1, 0.05, -0.5}, vector{0.05, 0.02, -0.6}
local p = apply(C, centre - at_c) + at_c
p = apply(B, p - at_b) + at_b
p = apply(A, p) + vector{s, 0, 0}
local Q = product(A, product(B, C))
local function rate(i, k) return Q[1][i]*Q[1][k].dot + Q[2][i]*Q[2][k].dot + Q[3][i]*Q[3][k].dot end
local x, y, z = rate(3, 2), rate(1, 3), rate(2, 1)       -- Q' Q.dot is skew: angular velocity in its own axes
lagrangian(m/2*norm2(p.dot) + (0.02*x^2 + 0.03*y^2 + 0.015*z^2)/2 - m*g*p.z)
lagrangian(-30/2*s^2 - 0.5/2*b^2 - 4/2*c^2)
force(b, -0.02*b.dot)
force(c, 0.3)
start { s = 0.2, a = 0.3, b = -0.4, c = 0.2, ["s.dot"] = 0.5, ["a.dot"] = 1, ["b.dot"] = 2, ["c.dot"] = 0 }
observe("mount_way", s)
observe("mount_swing", a)
observe("mount_pan", b)
observe("mount_tilt", c)
observe("height", p.z)
observe("mount.force.x", -30*s)                          -- all that is transmitted: along the rail, of the spring
