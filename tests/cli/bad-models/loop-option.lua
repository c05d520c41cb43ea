-- N is a number of points.
local N = option("N", 3)
for i = 1, N do
  local x = coordinate("x" .. i)
  lagrangian(x.dot^2/2 - x^2/2)
  start { [x] = 1 }
end
