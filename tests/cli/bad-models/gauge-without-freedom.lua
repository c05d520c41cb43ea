-- A free particle has no gauge freedom.
local x = coordinate "x"
lagrangian(x.dot^2/2)
gauge("fixed", x)
start { x = 1 }
