-- One body: mass 5, the centre of mass at (0.12, 0, 0.04), inertia by the parallel axes, axes as those of the boxes.
local c, r = point "c", rotation "r"
local w = r.omega
local function about(m, x, y, z, d)                      -- a box with these sides, its centre at d
  local s = norm2(d)
  return { m*((y^2 + z^2)/12 + s - d.x^2), m*((x^2 + z^2)/12 + s - d.y^2), m*((x^2 + y^2)/12 + s - d.z^2),
           -m*d.x*d.y, -m*d.x*d.z, -m*d.y*d.z }
end
local one, two = vector{-0.12, 0, -0.04}, vector{0.18, 0, 0.06}
local A, B = about(3, 0.4, 0.3, 0.2, one), about(2, 0.2, 0.2, 0.5, two)
local function I(i) return A[i] + B[i] end
lagrangian(5/2*norm2(c.dot) + (I(1)*w.x^2 + I(2)*w.y^2 + I(3)*w.z^2)/2 + I(4)*w.x*w.y + I(5)*w.x*w.z + I(6)*w.y*w.z)
force(c + r:apply(two + vector{0, 0, 0.25}), r:apply{0, 0.5, 0})
start { c = {0.12, 0, 0.04}, ["c.dot"] = {0.04, -0.02, -0.12}, r = {1, 0, 0, 0}, [r.omega] = {2, 1, 0.5} }
local a, b = c + r:apply(one), c + r:apply(two)
observe("one.x", a.x)
observe("one.y", a.y)
observe("one.z", a.z)
observe("two.x", b.x)
observe("two.z", b.z)
