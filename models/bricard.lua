-- The rectangular Bricard linkage, benchmark A04 of the IFToMM library of multibody problems (SI units): five rods of length 1
-- and a ground link along six edges of a cube, six hinges. 30 constraints of hinges on 30 freedoms leave one: one of them
-- depends on the others, in every position. It runs as written; which one is left out would not matter to the motion.
title "Rectangular Bricard linkage"
local g     = param("g", 9.81)
local width = 0.1                                        -- of the square section

local ground = { at = function(p) return vector(p) end, turn = function(d) return vector(d) end }
-- A rod of mass 1 between two points that differ along one axis of space; all attitudes are zero at the start.
local function rod(name, from, to)
  local mid, along = {}, {}
  for k = 1, 3 do mid[k], along[k] = (from[k] + to[k])/2, to[k] - from[k] end
  local b = { c = point("c" .. name), r = rotation("r" .. name) }
  local w, thin, long = b.r.omega, width^2/6, (1 + width^2)/12
  local function inertia(k) return along[k] ~= 0 and thin or long end
  lagrangian(norm2(b.c.dot)/2 + (inertia(1)*w.x^2 + inertia(2)*w.y^2 + inertia(3)*w.z^2)/2 - g*b.c.y)
  function b.at(p) return b.c + b.r:apply{p[1] - mid[1], p[2] - mid[2], p[3] - mid[3]} end
  function b.turn(d) return b.r:apply(d) end
  start { ["c" .. name] = mid, ["r" .. name] = {1, 0, 0, 0} }
  draw { bar(b.at(from), b.at(to)) }
  return b
end
-- A hinge at p about axis k of space at the start.
local function hinge(name, a, b, p, k)
  local e = { {1, 0, 0}, {0, 1, 0}, {0, 0, 1} }
  local gap, axis = a.at(p) - b.at(p), b.turn(e[k])
  for _, x in ipairs{"x", "y", "z"} do constraint(name .. x, gap[x]) end
  constraint(name .. "u", dot(a.turn(e[k % 3 + 1]), axis))
  constraint(name .. "v", dot(a.turn(e[(k + 1) % 3 + 1]), axis))
end

local p = { {0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1} }
local links = {}
for i = 1, 5 do links[i] = rod(i, p[i], p[i + 1]) end
hinge("j1", ground, links[1], p[1], 2)
hinge("j2", links[1], links[2], p[2], 3)
hinge("j3", links[2], links[3], p[3], 1)
hinge("j4", links[3], links[4], p[4], 2)
hinge("j5", links[4], links[5], p[5], 3)
hinge("j6", links[5], ground, p[6], 1)
observe("p3_x", links[3].at(p[3]).x)
observe("p3_y", links[3].at(p[3]).y)
observe("p3_z", links[3].at(p[3]).z)
draw { bar(vector(p[6]), vector(p[1])) }
