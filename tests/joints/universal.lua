-- In the two angles: the rod is turned by Rx(a) Ry(b).
local m, g = 1.2, 9.81
local a, b = coordinate "a", coordinate "b"
local w = vector{a.dot*cos(b), b.dot, a.dot*sin(b)}      -- angular velocity in the axes of the rod
local c = -0.4*vector{sin(b), -sin(a)*cos(b), cos(a)*cos(b)}
lagrangian(m/2*norm2(c.dot) + (0.05*w.x^2 + 0.06*w.y^2 + 0.02*w.z^2)/2 - m*g*c.z)
start { a = 0.6, b = -0.4, ["a.dot"] = 1, ["b.dot"] = 2 }
observe("joint_angle1", a)
observe("joint_angle2", b)
