-- The first pulley, with the second as an added inertia: phi2 = phi/3.
local I1, I2, phi = 1*0.1^2/2, 6*0.3^2/2, coordinate "phi"
lagrangian((I1 + I2/9)/2*phi.dot^2 + 2*phi)
force(phi, -0.05*phi.dot/9)
start { phi = 0 }
local second = (2 - 0.05*phi.dot/9)/(I1 + I2/9)
observe("one_angle", phi)
observe("two_angle", phi/3)
observe("pull", (I2*second/3 + 0.05*phi.dot/3)/0.3)
