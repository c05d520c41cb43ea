-- N four-bar loops side by side, benchmark A02 of the IFToMM library of multibody problems (SI units): rods of length and mass 1,
-- started upright with 1 m/s, or -D speed=30 to turn over. When all rods are in one line, N constraints depend on the others
-- for an instant, and each loop could go on as a parallelogram or fold: it passes without noticing.
title "N four-bar linkages"
local N     = option("N", 2)
local g     = param("g", 9.81)
local speed = option("speed", -1)                        -- of the upper rods at the start

local function rod(name, p, q, dp, dq)                   -- uniform: its kinetic energy by the velocities of its ends
  lagrangian((norm2(dp) + dot(dp, dq) + norm2(dq))/6 - g*(p.y + q.y)/2)
  constraint(name, norm2(p - q) - 1)
  draw { bar(p, q) }
end
local rest, before = vector{0, 0}
for i = 0, N do
  local b, foot = point("b" .. i, 2), vector{i, 0}
  start { ["b" .. i] = {i, 1}, ["b" .. i .. ".dot"] = {speed, 0} }
  rod("crank" .. i, foot, b, rest, b.dot)
  if before then rod("coupler" .. i, before, b, before.dot, b.dot) end
  before = b
end
