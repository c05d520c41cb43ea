-- (I + m (pitch/2 pi)^2) phi'' = -m g pitch/(2 pi)
local m, g, advance = 2, 9.81, 0.05/(2*pi)
local I, phi = 2*0.06^2/2, coordinate "phi"
lagrangian((I + m*advance^2)/2*phi.dot^2 - m*g*advance*phi)
start { phi = 0, ["phi.dot"] = 2 }
local second = -m*g*advance/(I + m*advance^2)
observe("thread_angle", phi)
observe("fallen", -advance*phi)
observe("thread.force.z", m*(g + advance*second) + 0*phi)
observe("thread.torque.z", I*second + 0*phi)
