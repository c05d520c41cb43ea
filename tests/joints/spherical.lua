-- Euler's angles: phi about z, theta about the line of nodes, psi about the top's own axis.
local m, R, h, g = 0.2, 0.05, 0.06, 9.81
local I1, I3 = m*R^2/4 + m*h^2, m*R^2/2
local phi, theta, psi = coordinate "phi", coordinate "theta", coordinate "psi"
local spin = psi.dot + phi.dot*cos(theta)
lagrangian(I1/2*(theta.dot^2 + phi.dot^2*sin(theta)^2) + I3/2*spin^2 - m*g*h*cos(theta))
start { phi = 0, theta = pi/3, psi = 0, ["psi.dot"] = 150 }
observe("top.x", h*sin(theta)*sin(phi))
observe("top.y", -h*sin(theta)*cos(phi))
observe("tilt", theta)
observe("spin", spin)
-- The pivot carries the weight, and what moves the centre up and down: m (g + z''), z = h cos(theta).
local I = I1
local second = (I*phi.dot^2*sin(theta)*cos(theta) - I3*spin*phi.dot*sin(theta) + m*g*h*sin(theta))/I
observe("pivot.force.z", m*(g - h*(second*sin(theta) + theta.dot^2*cos(theta))))
