-- The governor in three coordinates: phi of the shaft, a of both arms below the horizontal, s of the slider below the
-- top.
local g, K, C = 9.81, 8e5, 4e4
local phi, a, s = coordinate "phi", coordinate "a", coordinate "s"
local arm, along, across = 0.3, 0.3*2e-4/12, 0.3*(1 + 1e-4)/12
local out, down = cos(a), sin(a)
lagrangian(0.3*2e-4/24*phi.dot^2 + 3/2*s.dot^2 + 3*0.02/24*phi.dot^2 + 3*g*s)
lagrangian(arm/4*(a.dot^2 + out^2*phi.dot^2) + (along*down^2 + across*out^2)*phi.dot^2 + across*a.dot^2 + arm*g*down)
lagrangian(5*(a.dot^2 + out^2*phi.dot^2) + 10*g*down)
local length = sqrt(out^2/4 + (s - down/2)^2)
lagrangian(-K*(length - 0.5)^2)
force(length, -2*C*length.dot)
start { phi = 0, ["phi.dot"] = 2*pi, a = pi/6, s = 0.5 }
observe("bearing_angle", phi)
