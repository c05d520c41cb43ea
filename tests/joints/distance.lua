-- The same plank as a point and a rotation; the rods as squares of lengths, the torque turned into the plank's axes.
local c, r = point "plank", rotation "plank_r"
local w = r.omega
local I = {4*(0.09 + 0.0025)/12, 4*(1 + 0.0025)/12, 4*1.09/12}
lagrangian(2*norm2(c.dot) + (I[1]*w.x^2 + I[2]*w.y^2 + I[3]*w.z^2)/2 - 4*9.81*c.z)
local left = constraint("l", norm2(c + r:apply{-0.5, 0, 0.025} - {-0.5, 0, 1}) - 0.975^2)
constraint("r", norm2(c + r:apply{0.5, 0, 0.025} - {0.5, 0, 1}) - 0.975^2)
-- Work of the torque T: T . Omega, and Omega = 2 vec(r' conj(r)); by each rate of r:
local T = vector{0.1, 0, 0.3}
local u = vector{r.x, r.y, r.z}
force(r.w, -2*dot(u, T))
local f = 2*(r.w*T + cross(T, u))
force(r.x, f.x)
force(r.y, f.y)
force(r.z, f.z)
start { plank = {0, 0, 0}, plank_r = {1, 0, 0, 0}, ["plank.dot"] = {0, 0.4, 0} }
for _, k in ipairs{"x", "y", "z"} do observe("end_" .. k, (c + r:apply{0.5, 0.1, 0.2})[k]) end
observe("tension", -2*0.975*left)
