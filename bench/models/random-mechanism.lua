-- A random mechanism from a seed (SI units): -D seed=K. Of four kinds in turn: trees of bodies on joints of all kinds;
-- rings; bodies in a grid, joined by rods; bodies between springs and dampers. They have 5 to 200 bodies. All joints
-- are declared where the bodies are, so that the start is consistent; the speeds at the start are zero.
local seed = option("seed", 1)
local kinds = { "tree", "ring", "rods", "springs" }
local kind = kinds[(seed - 1) % #kinds + 1]

-- Park and Miller's generator: the same numbers everywhere. The first values of near seeds resemble each other.
local state = (seed*7919 + 17) % 2147483647
local function uniform(low, high)
  state = state*48271 % 2147483647
  return low + (high - low)*state/2147483647
end
for _ = 1, 10 do uniform(0, 1) end
local function below(n) return math.floor(uniform(0, n)) end
local function unit()
  local z, phi = uniform(-1, 1), uniform(0, 2*math.pi)
  local r = math.sqrt(1 - z*z)
  return {r*math.cos(phi), r*math.sin(phi), z}
end
local function plus(a, b, c) return {a[1] + c*b[1], a[2] + c*b[2], a[3] + c*b[3]} end

local n = math.floor(5*40^(seed*0.6180339887 % 1) + 0.5) -- spread evenly, whatever the first seeds are
title("Random " .. kind .. " " .. seed .. " with " .. n .. " bodies")
gravity{0, 0, -9.81}
local bodies, places = {}, {}
local function add(at)
  local i, a, b, c = #bodies + 1, uniform(0.1, 0.3), uniform(0.1, 0.3), uniform(0.1, 0.3)
  bodies[i] = body("b" .. i, { shape = box{a, b, c}, mass = uniform(0.5, 2), at = at,
                               turned = {axis = unit(), angle = uniform(0, math.pi)} })
  places[i] = at
  return i
end
local function spring(from, to, length)
  local d = norm(to - from)
  lagrangian(-uniform(20, 200)/2*(d - length)^2)
  if below(2) == 0 then force(d, -uniform(0.1, 1)*d.dot) end
end

local joints = 0
local function join(how, first, second, at)
  joints = joints + 1
  local name = how .. joints
  if how == "spherical" then
    spherical(name, first, second, { at = at })
  elseif how == "universal" then
    universal(name, first, second, { at = at, axis = {1, 0, 0}, axis2 = {0, 1, 0} })
  elseif how == "prismatic" then
    prismatic(name, first, second, { at = at, axis = unit(),
                                     slide = { stiffness = uniform(50, 500), damping = uniform(0, 5) } })
  elseif below(3) == 0 then
    revolute(name, first, second, { at = at, axis = unit(),
                                    angle = { stiffness = uniform(0.5, 5), damping = uniform(0, 0.1) } })
  else
    revolute(name, first, second, { at = at, axis = unit() })
  end
end
local hows = { "revolute", "revolute", "spherical", "universal", "prismatic" }

if kind == "tree" then
  for i = 1, n do
    local parent = below(3) == 0 and below(i) or i - 1 -- long branches, and some short ones
    local from = parent > 0 and places[parent] or {0, 0, 0}
    local at = plus(from, unit(), uniform(0.1, 0.3))
    add(plus(at, unit(), uniform(0.1, 0.3)))
    join(hows[1 + below(#hows)], parent > 0 and bodies[parent] or world, bodies[i], at)
  end
elseif kind == "ring" then -- rings of 4 to 10 bodies one after another, each closed by a ball joint
  local last, at = world, {0, 0, 0}
  while #bodies < n do
    local size, first, begun = math.max(3, math.min(4 + below(7), n - #bodies)), #bodies + 1, at
    local phi = uniform(0, 2*math.pi)
    local function corner(k) -- of a polygon through `begun`, in a plane that is upright
      local angle, radius = 2*math.pi*k/size, 0.06*size
      local across = radius*math.sin(angle)
      return plus(begun, {across*math.cos(phi), across*math.sin(phi), radius*(math.cos(angle) - 1)}, 1)
    end
    for k = 1, size do
      local a, b = corner(k - 1), corner(k)
      local i = add(plus(plus({0, 0, 0}, a, 0.5), b, 0.5))
      join(k % 3 == 2 and "revolute" or k % 3 == 0 and "universal" or "spherical", k == 1 and last or bodies[i - 1],
           bodies[i], a)
    end
    spherical("close" .. first, bodies[#bodies], last, { at = begun })
    last, at = bodies[first + size//2], places[first + size//2]
  end
elseif kind == "rods" then -- two rods where two bodies are neighbours, one across
  local width = math.max(2, math.floor(math.sqrt(n)*uniform(0.5, 1)))
  local function rod(i, j)
    joints = joints + 1
    local a, b = plus(places[i], unit(), 0.05), plus(places[j], unit(), 0.05)
    distance("rod" .. joints, bodies[i], bodies[j], { from = a, to = b })
  end
  for i = 1, n do
    local column, row = (i - 1) % width, (i - 1)//width
    add(plus({0.4*column, 0, -0.4*row}, unit(), 0.05))
    if row == 0 and (column == 0 or column == width - 1) then
      spherical("hang" .. i, world, bodies[i], { at = plus(places[i], {0, 0, 1}, 0.1) })
    end
    if column > 0 then rod(i - 1, i) end
    if row > 0 then rod(i - width, i) end
    if column > 0 and row > 0 and below(2) == 0 then rod(i - width - 1, i) end
  end
else
  local side, hung = 0.3*n^(1/3), 1 + n//10
  local function fixed(i) return bodies[i]:point{uniform(-0.1, 0.1), uniform(-0.1, 0.1), uniform(-0.1, 0.1)} end
  for i = 1, n do
    add{uniform(-side, side), uniform(-side, side), uniform(-side, side)}
    if i <= hung then
      spring(vector(plus(places[i], unit(), 0.5)), fixed(i), 0.5)
    else
      for _ = 0, below(3) do
        local j = 1 + below(i - 1)
        local a, b = places[i], places[j]
        local apart = math.sqrt((a[1] - b[1])^2 + (a[2] - b[2])^2 + (a[3] - b[3])^2)
        spring(fixed(j), fixed(i), apart*uniform(0.9, 1.1))
      end
    end
  end
end
