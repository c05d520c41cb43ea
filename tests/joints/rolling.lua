-- s'' = g sin(slope)/(1 + I/(m R^2)) = 2/3 g sin(slope); friction is what is missing of the weight along the slope.
local s, g = coordinate "s", 9.81
lagrangian(3/2*(1 + 0.5)*s.dot^2 + 3*g*s/2)
start { s = 0, ["s.dot"] = 0.3 }
observe("way_slide", s)
observe("turned", -s/0.2)
observe("way.force.x", -3*g/2/3 + 0*s)
observe("way.force.y", 3*g*sqrt(3)/2 + 0*s)
