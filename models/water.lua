-- One water molecule with rigid O-H bonds and a harmonic angle, bending and spinning. Geometry and stiffness of the flexible
-- TIP3P model as CHARMM has it, 55 kcal/mol/rad^2. Units: angstrom, atomic mass unit, picosecond.
title "Water molecule"
local mO, mH, l = param("mO", 15.9994), param("mH", 1.008), param("l", 0.9572)
local theta0    = 104.52*pi/180
local k         = param("k", 23012)                      -- 55 kcal/mol = 23012 u A^2/ps^2; V = k (theta - theta0)^2
local spin      = param("spin", 10)                      -- rad/ps

local o, h1, h2 = point("o", 2), point("h1", 2), point("h2", 2)
local theta = acos(dot(h1 - o, h2 - o)/l^2)              -- the bonds are l long
lagrangian(mO/2*norm2(o.dot) + mH/2*norm2(h1.dot) + mH/2*norm2(h2.dot) - k*(theta - theta0)^2)
constraint("bond1", norm2(h1 - o) - l^2)
constraint("bond2", norm2(h2 - o) - l^2)

-- Opened to 110 degrees, turning about the centre of mass, which is the origin and stays there.
local half = 55*pi/180
local x, y = l*sin(half), -l*cos(half)
local yO = -2*mH*y/(mO + 2*mH)
start { o = {0, yO}, h1 = {x, y + yO}, h2 = {-x, y + yO},
        ["o.dot"] = {-spin*yO, 0}, ["h1.dot"] = {-spin*(y + yO), spin*x}, ["h2.dot"] = {-spin*(y + yO), -spin*x} }
observe("angle", theta*180/pi)
draw { bar(o, h1), bar(o, h2), ball(o, 0.3), ball(h1, 0.2), ball(h2, 0.2) }
