-- A single-cylinder engine turning freely on its flywheel at 100 rad/s: the textbook slider-crank, in SI units, with data
-- of a small engine. Three coordinates, two loop conditions, one degree of freedom; the mass matrix depends on q.
title "Slider-crank"
local r, l   = param("r", 0.04), param("l", 0.13)        -- crank radius and length of the rod
local J      = param("J", 0.004)                         -- inertia of crank and flywheel
local m, M   = param("m", 0.5), param("M", 0.4)          -- rod (a uniform bar) and piston
local omega  = param("omega", 100)

local theta, phi, x = coordinate "theta", coordinate "phi", coordinate "x"
local pin    = vector{r*cos(theta), r*sin(theta)}        -- crank pin
local rod    = vector{l*cos(phi), -l*sin(phi)}           -- from there to the piston
local middle = pin + rod/2
lagrangian(J/2*theta.dot^2 + m/2*norm2(middle.dot) + m*l^2/24*phi.dot^2 + M/2*x.dot^2)
constraint("piston", x - (pin + rod).x)
local thrust = constraint("guide", (pin + rod).y)        -- the end of the rod stays on the axis

start { theta = 0, phi = 0, x = r + l, ["theta.dot"] = omega, ["phi.dot"] = omega*r/l, ["x.dot"] = 0 }
observe("piston_speed", x.dot)
observe("side_thrust", thrust)                           -- of the guide on the piston, in N
draw { disc(origin, 1.35*r, theta), box({x, 0}, {r, 1.1*r}), bar(origin, pin), bar(pin, {x, 0}) }
