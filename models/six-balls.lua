-- Six unit masses in a zigzag of five rigid bars, with springs to the second neighbour; the plane, no gravity:
-- Man, Gao & Zhong (2020), section 4.4 (dimensionless). Balls 1 and 6 move antisymmetrically, (61).
title "Six balls"
local q = {}
for i = 1, 6 do
  q[i] = point("q" .. i, 2)
  lagrangian(norm2(q[i].dot)/2)
  if i > 1 then
    constraint("bar" .. i - 1, norm2(q[i] - q[i - 1]) - 1)
    draw { bar(q[i - 1], q[i]) }
  end
  if i > 2 then
    lagrangian(-(norm(q[i] - q[i - 2]) - 1)^2/2)
    draw { spring(q[i - 2], q[i]) }
  end
end

local s2, s3 = sqrt(2)/2, sqrt(3)/2                      -- (59), at rest
start { q1 = {1/2 - s2, s3 - s2}, q2 = {1/2, s3}, q3 = {1, 0},
        q4 = {3/2, s3}, q5 = {2, 0}, q6 = {2 + s2, s2} }
observe("C1", q[1].x + q[6].x)
observe("C2", q[1].y + q[6].y)
