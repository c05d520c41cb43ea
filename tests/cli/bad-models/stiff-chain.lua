-- Springs of k = 1e6: no explicit method follows them with steps of 0.01, and the energy grows without end.
local N, k = option("N", 10), param("k", 1e6)
local previous = origin
for i = 1, N do
  local a = point("a" .. i, 2)
  lagrangian(norm2(a.dot)/2 - 9.81*a.y - k/2*(norm(a - previous) - 1)^2)
  start { ["a" .. i] = {i, 0} }
  previous = a
end
