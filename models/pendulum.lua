-- The plane pendulum of Seiler (1997), section 6: length, mass and gravity are 1 (dimensionless, so g = 1, not 9.81).
-- It has the energy to go round: period (4/sqrt(6)) K(2/3) = 3.31327634047319.
title "Pendulum"
local m, g, l = param("m", 1), param("g", 1), param("l", 1)

local a = point("a", 2)
lagrangian(m/2*norm2(a.dot) - m*g*a.y)
local lambda = constraint("rod", (norm2(a) - l^2)/2)     -- the paper's phi; the rod pulls with lambda*a

start { a = {l, 0}, ["a.dot"] = {0, -2} }
observe("angle", atan2(a.x, -a.y))                       -- from hanging straight down
observe("tension", -l*lambda)
draw { bar(origin, a), ball(a) }
