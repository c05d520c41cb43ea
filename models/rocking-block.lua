-- A block rocks from one edge to the other and comes to rest. At each impact its angular velocity falls by the factor
-- 1 - 3/2 sin(alpha)^2, alpha the angle between its side and its diagonal (Housner 1963), so that it rocks infinitely often in a finite
-- time; the last of these impacts, lower than round-off, end at once. In the plane; B, H: half the width and the height.
title "Rocking block"
local m, g   = param("m", 1), param("g", 9.81)
local B, H   = param("B", 0.2), param("H", 0.6)
local mu     = param("mu", 0.8)
local tilt   = param("tilt", 0.15)                                     -- at first, on the right edge

local c, phi = point("c", 2), coordinate "phi"
lagrangian(m/2*norm2(c.dot) + m*(B^2 + H^2)/6*phi.dot^2 - m*g*c.y)
local function edge(name, x)
  contact(name, c.y + x*sin(phi) - H*cos(phi), {friction = mu, slide = c.x + x*cos(phi) + H*sin(phi)})
end
edge("left", -B)
edge("right", B)

start { c = {H*sin(tilt) - B*cos(tilt) + B, B*sin(tilt) + H*cos(tilt)}, phi = -tilt }
observe("angle", phi)
draw { ground(), box(c, {2*B, 2*H}, phi) }
