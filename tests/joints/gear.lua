-- The first wheel, with the second as an added inertia: phi2 = -0.4 phi.
local I1, I2, phi = 1*0.1^2/2, 6*0.25^2/2, coordinate "phi"
lagrangian((I1 + 0.16*I2)/2*phi.dot^2 + (3 + 0.4)*phi)
start { phi = 0, ["phi.dot"] = 5 }
local second = 3.4/(I1 + 0.16*I2)
observe("one_angle", phi)
observe("two_angle", -0.4*phi)
observe("tooth", (-0.4*I2*second + 1)/0.25 + 0*phi)
