-- Points between bars, of several shapes (SI units): -D kind=K
--   1  a tree of 30 rods, masses of five sizes
--   2  a net of 8 x 8 points with rods along its rows and half of those along its columns: loops
--   3  a cloth of 10 x 10 points: threads that do not stretch one way, springs the other way
--   4  40 links of three lengths and seven masses between two pins
--   5  the same in the plane
local kind = option("kind", 1)
local names = { "tree", "net", "cloth", "two pins", "plane" }
title("Points and bars: " .. names[kind])
local g = param("g", 9.81)

-- positions by name of the point; bars keep the distance that they have at the start
local at = {}
local function mass(name, m, ...)
  at[name] = { ... }
  local plane = #at[name] == 2
  local a = point(name, plane and 2 or 3)
  lagrangian(m*norm2(a.dot)/2 - m*g*(plane and a.y or a.z))
  start { [name] = at[name] }
  at[a] = at[name]
  return a
end
local bars = 0
local function bar(a, b, place)
  local square = 0
  for i, x in ipairs(at[a]) do square = square + (x - (place or at[b])[i])^2 end
  bars = bars + 1
  constraint("bar" .. bars, norm2(a - (b or vector(place))) - square)
end

if kind == 1 then
  local function grow(parent, x, y, z, depth, name)
    for side = -1, 1, 2 do
      local u, v, w = x + 0.6*side, y + depth % 2*0.48, z - (0.8 - 0.1*depth)
      local a = mass(name .. (side < 0 and "l" or "r"), 1 + depth/3, u, v, w)
      bar(a, parent, not parent and { 0, 0, 0 } or nil)
      if depth > 1 then grow(a, u, v, w, depth - 1, name .. (side < 0 and "l" or "r")) end
    end
  end
  grow(nil, 0, 0, 0, 4, "p")
elseif kind == 2 then
  local p = {}
  for i = 1, 8 do
    p[i] = {}
    for j = 1, 8 do
      p[i][j] = mass("p" .. i .. "_" .. j, 1, j, i, 0.1*((i*7 + j*3) % 5))
      if j > 1 then bar(p[i][j], p[i][j - 1]) end
      if i > 1 and (i + j) % 2 == 0 then bar(p[i][j], p[i - 1][j]) end
    end
  end
  bar(p[1][1], nil, { 0, 1, 0 })
elseif kind == 3 then
  local k, above = param("k", 200), {}
  for i = 1, 10 do
    local before
    for j = 1, 10 do
      local a = mass("p" .. i .. "_" .. j, 1, j, i, 0)
      bar(a, before, not before and { 0, i, 0 } or nil)
      if i > 1 then lagrangian(-k/2*(norm2(a - above[j]) - 1)^2) end
      before, above[j] = a, a
    end
  end
else
  local plane, before, x = kind == 5, nil, 0
  local function place(z) if plane then return x, z end return x, 0, z end
  for i = 1, 39 do
    x = x + 1 + i % 3/4
    local a = mass("a" .. i, 1 + i*i % 7/5, place(i % 2*0.3))
    bar(a, before, not before and (plane and { 0, 0 } or { 0, 0, 0 }) or nil)
    before = a
  end
  x = x + 1
  bar(before, nil, { place(0) })
end
