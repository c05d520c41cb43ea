-- A bead on a hoop that turns about its vertical diameter (SI units). Above Omega^2 R = g the bottom is unstable and the
-- bead climbs: here 18 > 9.81, and it swings about 57 degrees. The energy is not conserved, the Jacobi integral is.
title "Bead on a rotating hoop"
local m, g, R, Omega = param("m", 0.05), param("g", 9.81), param("R", 0.5), param("Omega", 6)

local b, turn = point "b", Omega*time()
lagrangian(m/2*norm2(b.dot) - m*g*b.z)
constraint("hoop", norm2(b) - R^2)
constraint("plane", b.y*cos(turn) - b.x*sin(turn))       -- the plane of the hoop turns with time

start { b = {R*sin(0.1), 0, -R*cos(0.1)}, ["b.dot"] = {0, Omega*R*sin(0.1), 0} }   -- at rest on the hoop
observe("angle", atan2(b.x*cos(turn) + b.y*sin(turn), -b.z))    -- from the bottom
observe("jacobi", m/2*norm2(b.dot) + m*g*b.z - Omega*m*(b.x*b.dot.y - b.y*b.dot.x))
draw { ball(b), path(function(u) return {R*sin(u)*cos(turn), R*sin(u)*sin(turn), -R*cos(u)} end, {0, 2*pi}) }
