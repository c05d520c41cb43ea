-- Seiler (1997), section 2: L = q1'^2/2 - V(q1,q2), no kinetic energy in q2. Dirac's algorithm finds p2 = 0 and V_q2 = 0,
-- both second class. With this V (ours) q2 = q1^2 and q1 = cos t. Run with -m dirac:gauss.
title "A singular Lagrangian, second class"
local q1, q2 = coordinate "q1", coordinate "q2"
lagrangian(q1.dot^2/2 - q1^2/2 - (q2 - q1^2)^2/2)

start { q1 = 1, q2 = 1 }
observe("secondary", q2 - q1^2)                          -- is zero
draw { ball({q1, q2}) }
