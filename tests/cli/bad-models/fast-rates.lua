-- An oscillation of frequency 10: steps above 0.2 are unstable, and there is no energy to look at.
local y = coordinate "y"
local z = momentum(y)
rate(y, z)
rate(z, -100*y)
start { y = 1, ["p.y"] = 0 }
