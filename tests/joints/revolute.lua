-- In the angle alone. n is the axis; the plate turns by Rodrigues' formula, its centre is c, its corner e.
local n = vector{0, 1/sqrt(2), 1/sqrt(2)}
local m, g = 500*0.6*0.4*0.02, 9.81
local a, b, d = 0.6^2, 0.4^2, 0.02^2
local J = m/12*((a + d)/2 + (a + b)/2) + m*0.3^2          -- about the axis, which is at right angles to the arm
local phi = coordinate "phi"
local function turned(v) return cos(phi)*v + sin(phi)*cross(n, v) + (1 - cos(phi))*dot(n, v)*n end
local c, corner = turned(vector{0.3, 0, 0}), turned(vector{0.6, 0.2, 0})
lagrangian(J/2*phi.dot^2 - m*g*c.z - 3*phi^2)
force(phi, -0.2*phi.dot)
start { phi = 0.5, ["phi.dot"] = 1 }
local slope = 0.3*(cos(phi)*cross(n, {1, 0, 0}).z - sin(phi)*vector{1, 0, 0}.z)     -- dz/dphi
local acceleration = (-m*g*slope - 6*phi - 0.2*phi.dot)/J
local pull = m*(acceleration*cross(n, c) + phi.dot^2*cross(n, cross(n, c)) + vector{0, 0, g})
observe("hinge_angle", phi)
observe("height", corner.z)
observe("effort", -6*phi - 0.2*phi.dot)
observe("hinge.force.z", dot(pull, n))                   -- the joint's frame: z along the axis
observe("hinge.torque.z", 0*phi)
