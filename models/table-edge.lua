-- A ball rolls on a table, over its edge, and falls. The table is the quarter plane x < 0, y < 0 of the plane of motion; the gap is the
-- distance of the centre from it, less the radius: from the surface while x < 0, from the edge beyond. slide is how far the point of
-- contact has moved along the table (or around the edge) against the surface of the ball: friction makes it roll.
-- With much friction (it rolls to the end) the ball leaves the edge at the angle theta from the vertical with
-- cos(theta) = (10 + 7 v^2/(g r))/17, without friction and spin at cos(theta) = (2 + v^2/(g r))/3.
title "Ball over a table edge"
local m, g = param("m", 1), param("g", 9.81)
local r, v = param("r", 0.1), param("v", 0.3)
local mu   = param("mu", 0.6)

local a, phi = point("a", 2), coordinate "phi"     -- the centre, and the angle that the ball has turned, clockwise
lagrangian(m/2*norm2(a.dot) + m*r^2/5*phi.dot^2 - m*g*a.y)

local beyond = max(a.x, 0)
contact("table", sqrt(beyond^2 + a.y^2) - r,
        {friction = mu, slide = min(a.x, 0) + r*atan2(beyond, a.y) - r*phi})

start { a = {-0.2, r}, phi = 0, ["a.dot"] = {v, 0}, ["phi.dot"] = v/r }
observe("angle", atan2(beyond, a.y))
draw { box({-0.4, -0.2}, {0.8, 0.4}):colour "grey", ball(a, r), bar(a, {a.x + r*sin(phi), a.y + r*cos(phi)}) }
