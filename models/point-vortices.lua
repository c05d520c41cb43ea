-- Three vortices in the plane (Kirchhoff): a Lagrangian of first order in the velocities. All its constraints are primary and second class,
-- so x and y are conjugate to each other; run with -m dirac:gauss.
title "Point vortices"
local places = { {1, 0}, {-0.6, 0.9}, {-0.3, -1.1} }
local x, y, strength = {}, {}, { 1.0, 0.7, 1.3 }
for i, at in ipairs(places) do
  x[i], y[i] = coordinate("x" .. i), coordinate("y" .. i)
  lagrangian(strength[i]*x[i].dot*y[i])
  start { ["x" .. i] = at[1], ["y" .. i] = at[2] }
end
local impulse = 0
for i = 1, 3 do
  for j = i + 1, 3 do lagrangian(strength[i]*strength[j]/(4*pi)*log((x[i] - x[j])^2 + (y[i] - y[j])^2)) end
  impulse = impulse + strength[i]*(x[i]^2 + y[i]^2)
end
observe("angular_impulse", impulse)                      -- is conserved
draw { ball({x[1], y[1]}), ball({x[2], y[2]}), ball({x[3], y[3]}) }
