-- In the angle and the slide along n; x across, where the centre hangs at phi = pi.
local n = vector{2, 0, -1}/sqrt(5)
local m, g = 1.5, 9.81
local phi, s = coordinate "phi", coordinate "s"
local J = (4*0.02 + 0.025)/5 + m*0.01
local c = s*n + 0.1*(cos(phi)*vector{0, 1, 0} + sin(phi)*cross(n, {0, 1, 0}))
lagrangian(J/2*phi.dot^2 + m/2*s.dot^2 - m*g*c.z)
start { phi = 0, s = 0.2, ["phi.dot"] = 3, ["s.dot"] = 0.5 }
observe("shaft_angle", phi)
observe("shaft_slide", s)
