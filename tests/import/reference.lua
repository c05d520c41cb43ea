-- The arm of arm.urdf in its joint angles, by matrices: an independent reading of the description. Prescribed motions
-- have the torques of the joints as multipliers (Lagrange).
local t, g = time(), 9.81
local function product(a, b)
  local c = {}
  for i = 1, 3 do
    c[i] = {}
    for j = 1, 3 do c[i][j] = a[i][1]*b[1][j] + a[i][2]*b[2][j] + a[i][3]*b[3][j] end
  end
  return c
end
local function apply(a, v)
  local c = {}
  for i = 1, 3 do c[i] = a[i][1]*v[1] + a[i][2]*v[2] + a[i][3]*v[3] end
  return vector(c)
end
local function angles(r, p, y)                           -- roll, pitch, yaw about fixed axes
  local sin, cos = math.sin, math.cos
  local x = {{1, 0, 0}, {0, cos(r), -sin(r)}, {0, sin(r), cos(r)}}
  local h = {{cos(p), 0, sin(p)}, {0, 1, 0}, {-sin(p), 0, cos(p)}}
  local z = {{cos(y), -sin(y), 0}, {sin(y), cos(y), 0}, {0, 0, 1}}
  return product(z, product(h, x))
end
local function about(n, phi)                             -- Rodrigues
  local l = math.sqrt(n[1]^2 + n[2]^2 + n[3]^2)
  local x, y, z, c, s = n[1]/l, n[2]/l, n[3]/l, cos(phi), sin(phi)
  return {{c + x*x*(1 - c), x*y*(1 - c) - z*s, x*z*(1 - c) + y*s},
          {y*x*(1 - c) + z*s, c + y*y*(1 - c), y*z*(1 - c) - x*s},
          {z*x*(1 - c) - y*s, z*y*(1 - c) + x*s, c + z*z*(1 - c)}}
end
local R, place = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, vector{0, 0, 0}
-- A mass fixed in the current frame: centre, turned inertia.
local function add(m, at, rpy, I)
  local c = place + apply(R, at)
  local Q = product(R, angles(rpy[1], rpy[2], rpy[3]))
  local function rate(i, j) return Q[1][i]*Q[1][j].dot + Q[2][i]*Q[2][j].dot + Q[3][i]*Q[3][j].dot end
  local x, y, z = rate(3, 2), rate(1, 3), rate(2, 1)      -- Q' Q.dot is skew: angular velocity in its own axes
  lagrangian(m/2*norm2(c.dot) - m*g*c.z + (I[1]*x^2 + I[2]*y^2 + I[3]*z^2)/2 + I[4]*x*y + I[5]*x*z + I[6]*y*z)
end
local q = {}
local function hinge(i, xyz, rpy, axis)
  q[i] = coordinate("q" .. i)
  local f = 0.3*i*sin((1 + 0.2*i)*t)
  local lambda = constraint("m" .. i, q[i] - f)
  observe("motor" .. i, lambda)
  start { ["q" .. i] = 0, ["q" .. i .. ".dot"] = 0.3*i*(1 + 0.2*i) }
  place = place + apply(R, xyz)
  R = product(product(R, angles(rpy[1], rpy[2], rpy[3])), about(axis, q[i]))
end
hinge(1, {0, 0, 0.1}, {0, 0, 0.2}, {0, 0, 1})
add(8, {0, 0, 0.1}, {0, 0, 0}, {0.05, 0.06, 0.03, 0, 0, 0})
hinge(2, {0.05, 0, 0.2}, {0.3, 0, 0}, {0, 1, 0})
add(6, {0, 0.01, 0.2}, {0.1, 0.2, 0.3}, {0.08, 0.09, 0.02, 0.005, -0.004, 0.003})
hinge(3, {0, 0.02, 0.4}, {0, -0.4, 0.1}, {0, 1, 0})
add(4, {0.01, 0, 0.15}, {0, 0.3, 0}, {0.03, 0.035, 0.01, 0, 0.002, 0})
hinge(4, {0.02, 0, 0.3}, {0, 0.5, 0}, {0, 0, 1})
add(1.5, {0, 0, 0.07}, {0, 0, 0}, {0.004, 0.004, 0.002, 0, 0, 0})
hinge(5, {0, 0, 0.15}, {0.2, 0.1, -0.3}, {0, 1, 1})
add(1, {0, 0.01, 0.05}, {0, 0, 0.5}, {0.002, 0.003, 0.0025, 0, 0, 0})
hinge(6, {0, 0, 0.1}, {0, 0, 1}, {0, 0, -1})
add(0.5, {0, 0, 0.03}, {0, 0, 0}, {0.001, 0.001, 0.0008, 0, 0, 0})
-- The fingers, closed and at rest in the hand: the tool is turned by 90 degrees about y.
place = place + apply(R, {0, 0, 0.08})
R = product(R, angles(0, math.pi/2, 0))
add(0.05, {0, 0.02, 0}, {0, 0, 0}, {1e-5, 1e-5, 1e-5, 0, 0, 0})
add(0.05, {0, -0.02, 0}, {0, 0, 0}, {1e-5, 1e-5, 1e-5, 0, 0, 0})
