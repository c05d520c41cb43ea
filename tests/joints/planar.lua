-- Three springs that do not know of each other. The table's normal is (1, 0, 2)/sqrt(5), x is y of space, so that y of
-- the table is (-2, 0, 1)/sqrt(5), up the slope.
local m, g = 0.8, 9.81
local x, y, phi = coordinate "x", coordinate "y", coordinate "phi"
lagrangian(m/2*(x.dot^2 + y.dot^2) + m*0.01/4*phi.dot^2 - 15*x^2 - 25*y^2 - 0.01*phi^2 - m*g*y/sqrt(5))
force(phi, -0.001*phi.dot)
start { x = 0.2, ["x.dot"] = 1, y = -0.1, phi = 0, ["phi.dot"] = 8 }
observe("table_x", x)
observe("table_y", y)
observe("table_angle", phi)
observe("table.force.z", 2*m*g/sqrt(5) + 0*x)
