-- In the angle of the bar and the place of the collar on it.
local phi, s = coordinate "phi", coordinate "s"
local I = 2*(3*0.02^2 + 1)/12 + 2*0.25 + 1*(0.1^2 + 0.06^2)/12
local g, z = 9.81, -sin(phi)
lagrangian(I/2*phi.dot^2 + (s.dot^2 + s^2*phi.dot^2)/2 - 2*g*0.5*z - 1*g*s*z - 40*(s - 0.4)^2)
start { phi = 0, s = 0.5, ["s.dot"] = -0.5 }
observe("pin_angle", phi)
observe("rail_slide", s - 0.4)
observe("collar_height", s*z)
-- The bar holds the collar across the rail: m (s phi'' + 2 s' phi') along phi, less the weight across; x of the joint's
-- frame is -z of the bar, which is where phi moves the collar.
local second = (2*g*0.5*cos(phi) + g*s*cos(phi) - 2*s*s.dot*phi.dot)/(I + s^2)
local hold = s*second + 2*s.dot*phi.dot - g*cos(phi)
observe("rail.force.x", hold)
observe("rail.force.z", 0*phi)
observe("rail.torque.y", (0.1^2 + 0.06^2)/12*second)
