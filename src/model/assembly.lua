-- The end of a script with bodies: their weight, and their start. Joints whose freedoms are given put their second
-- bodies in place, along a tree of joints that begins at the world; where joints close loops the positions so found are
-- the guess from which the start is solved.

-- ---- poses ----

-- Composition of poses, in space and in the plane: place and direction of a frame fixed in a body.
local in_space = {
  pose = function(b) return b.pose end,
  turn = turn, join = multiply, back = conjugate,
  cross = function(w, v) return cross(w, v) end,
  axial = function(q, v) return turn(q, v) end,
  still = vector{0, 0, 0}, no_spin = vector{0, 0, 0},
}
local in_plane = {
  pose = pose_in_plane,
  turn = Turn2, join = function(p, q) return p + q end, back = function(q) return -q end,
  cross = function(w, v) return vector{-w*v[2], w*v[1]} end,
  axial = function(q, w) return w end,
  still = vector{0, 0}, no_spin = symbol(0),
}

local function algebra(j) return j.dimension == 2 and in_plane or in_space end

local function frame_of(s, pose, f) return { c = pose.c + s.turn(pose.q, f.at), q = s.join(pose.q, f.q) } end

-- The pose of a body whose frame f is at `frame`.
local function body_at(s, frame, f)
  local q = s.join(frame.q, s.back(f.q))
  return { c = frame.c - s.turn(q, f.at), q = q }
end

local function values_of(list, j)
  local f = {}
  for _, name in ipairs(j.kind.freedoms) do
    f[name] = list[name] or (rawequal(list, j.start) and j.measured[name]) or symbol(0)
  end
  return f
end

-- The freedoms that nothing gives are as in the declared position: zero where the joint was given in space; else they
-- are measured, if both bodies have a place.
local function measure(j)
  if not j.has_own_frames or not j.a.is_placed or not j.b.is_placed or not j.kind.place then return end
  local s = algebra(j)
  local one, two = frame_of(s, s.pose(j.a), j.first), frame_of(s, s.pose(j.b), j.second)
  local gap, turned, found = s.turn(s.back(one.q), two.c - one.c), s.join(s.back(one.q), two.q), {}
  if j.dimension == 2 then
    found = { angle = turned, slide = gap[1] }
  else
    local y, x = turn(turned, vector{0, 1, 0}), turn(conjugate(turned), vector{1, 0, 0})
    found = { angle = 2*atan2(turned[4], turned[1]), slide = gap[3], x = gap[1], y = gap[2],
              angle1 = atan2(y[3], y[2]), angle2 = atan2(x[3], x[1]) }
  end
  for _, name in ipairs(j.kind.freedoms) do j.measured[name] = found[name] end
end

-- The pose of the other body of a joint.
local function across(j, from_first, pose)
  local s, t, r = algebra(j), j.kind.place(values_of(j.start, j), j)
  if from_first then
    local frame = frame_of(s, pose, j.first)
    return body_at(s, { c = frame.c + s.turn(frame.q, t), q = s.join(frame.q, r) }, j.second)
  end
  local frame = frame_of(s, pose, j.second)
  local q = s.join(frame.q, s.back(r))
  return body_at(s, { c = frame.c - s.turn(q, t), q = q }, j.first)
end

-- Its velocity and angular velocity (in space), when the poses of both are known.
local function motion_across(j, from_first, here, there, motion)
  local s = algebra(j)
  local sign = from_first and 1 or -1
  local first, second = from_first and here or there, from_first and there or here
  local frame = frame_of(s, first, j.first)
  local rate, spin = j.kind.motion(values_of(j.start, j), values_of(j.rates, j), j)
  local omega = motion.omega + sign*s.axial(frame.q, spin)
  -- both bodies as they move at the place of the second frame: there they differ by the rate of the displacement
  local place = frame_of(s, second, j.second).c
  local v = motion.v + s.cross(motion.omega, place - here.c) + sign*s.turn(frame.q, rate)
  return { v = v - s.cross(omega, place - there.c), omega = omega }
end

-- ---- the tree ----

local function find(parent, b)
  while parent[b] ~= b do
    parent[b] = parent[parent[b]]
    b = parent[b]
  end
  return b
end

local function is_driven(j) return next(j.start) ~= nil or next(j.rates) ~= nil end

-- Joints of the tree, those with given freedoms first; the others close loops.
local function choose_tree(parent)
  local edges, loops = {}, {}
  for pass = 1, 2 do
    for _, j in ipairs(Joints) do
      if is_driven(j) == (pass == 1) then
        local one, two = find(parent, j.a), find(parent, j.b)
        if j.kind.place and one ~= two then
          parent[two] = one
          for _, b in ipairs{j.a, j.b} do
            edges[b] = edges[b] or {}
            edges[b][#edges[b] + 1] = j
          end
        else
          loops[#loops + 1] = j
        end
      end
    end
  end
  return edges, loops
end

-- Visits all bodies from the roots: visit(j, from_first, body, next body); without a joint it is a root that floats.
local function walk(edges, visit)
  local seen, order = {}, {}
  local function from(root)
    seen[root] = true
    order[#order + 1] = root
    local i = #order
    while i <= #order do
      local b = order[i]
      for _, j in ipairs(edges[b] or {}) do
        local other = rawequal(j.a, b) and j.b or j.a
        if not seen[other] then
          seen[other] = true
          visit(j, rawequal(j.a, b), b, other)
          order[#order + 1] = other
        end
      end
      i = i + 1
    end
  end
  from(world)
  for _, b in ipairs(Bodies) do
    if not seen[b] then
      visit(nil, nil, b)
      from(b)
    end
  end
end

-- ---- start values ----

-- What the freedoms of coupled joints are, when one of the two is given.
local function couple_starts()
  repeat
    local changed = false
    for _, c in ipairs(Couplings) do
      local one, two = c.first.kind.freedoms[1], c.second.kind.freedoms[1]
      for _, key in ipairs{"start", "rates"} do
        local x, y = c.first[key][one], c.second[key][two]
        local offset = key == "start" and c.offset or symbol(0)
        if x and not y then
          c.second[key][two], changed = c.ratio*x + offset, true
        elseif y and not x then
          c.first[key][one], changed = (y - offset)/c.ratio, true
        end
      end
    end
  until not changed
end

local function begin_space(b, pose, motion, is_free, is_moving)
  inside.begin(b.centre, pose.c, false, is_free)
  inside.begin(b.rotation, pose.q, false, is_free)
  inside.begin(b.centre, motion.v, true, is_moving)
  local w = motion.omega                       -- r' = (0, omega) r/2
  inside.begin(b.rotation, multiply(vector{0, w[1]/2, w[2]/2, w[3]/2}, pose.q), true, is_moving)
end

local function begin_plane(b, pose, motion, is_free, is_moving)
  inside.begin(b.centre, pose.c, false, is_free)
  inside.begin(b.angle, pose.q, false, is_free)
  inside.begin(b.centre, motion.v, true, is_moving)
  inside.begin(b.angle, motion.omega, true, is_moving)
end

-- Are all freedoms of a joint given by this list of values?
local function gives_all(j, list)
  for _, name in ipairs(j.kind.freedoms) do
    if not list[name] or (rawequal(list, j.start) and j.is_free[name]) then return false end
  end
  return not j.kind.is_loose
end

-- Where the start of a part with loops is solved for, a given freedom that is no coordinate becomes one, so that its
-- value holds.
local function hold(j, name)
  local e, x = j.symbols[name], nil
  inside.at_line(j.line)
  x = coordinate(j.name .. "_" .. name .. "_start")
  constraint(j.name .. "_" .. name .. "_start", e - x)
  j.symbols[name .. "_start"] = x
  j.start[name .. "_start"], j.rates[name .. "_start"] = j.start[name], j.rates[name]
end

local function begin_freedoms(j, is_free, is_moving)
  for name, e in pairs(j.symbols) do
    local given, rate = j.start[name], j.rates[name]
    if name == "angle" and j.radius then        -- of a wheel that rolls
      given, rate = j.start.slide and -j.start.slide/j.radius, j.rates.slide and -j.rates.slide/j.radius
    end
    inside.at_line(j.line)
    inside.begin(e, given or j.measured[name] or symbol(0), false, j.is_free[name] or (is_free and not given))
    inside.begin(e, rate or symbol(0), true, is_moving and not rate)
  end
end

local function own_motion(b, s)
  return { v = b.start_velocity or s.still, omega = b.start_omega or s.no_spin }
end

-- start { pin_angle = 0.5 } is the same as angle = 0.5 of the joint.
local function read_starts()
  for _, j in ipairs(Joints) do
    for name, e in pairs(j.symbols) do
      local given, is_free = inside.begun(e, false)
      local rate, is_guess = inside.begun(e, true)
      if given then j.start[name], j.is_free[name] = given, is_free or nil end
      if rate and not is_guess then j.rates[name] = rate end
    end
  end
end

-- Which parts of the mechanism are moved out of the declared position, are moving, have loops: by the root of the part.
local function look(parent, edges, loops)
  local moved, moving, looped = {}, {}, {}
  for _, b in ipairs(Bodies) do
    if not b.is_placed and edges[b] then moved[find(parent, b)] = true end
  end
  for _, j in ipairs(Joints) do
    local part = find(parent, j.a)
    if next(j.start) then moved[part] = true end
    if next(j.rates) then moving[part] = true end
  end
  for _, j in ipairs(loops) do looped[find(parent, j.a)], looped[find(parent, j.b)] = true, true end
  return moved, moving, looped
end

local function start_bodies()
  local parent, poses, motions = { [world] = world }, {}, {}
  for _, b in ipairs(Bodies) do parent[b] = b end
  read_starts()
  couple_starts()
  local edges, loops = choose_tree(parent)
  local moved, moving, looped = look(parent, edges, loops)
  for _, j in ipairs(Joints) do measure(j) end
  for _, b in ipairs(Bodies) do
    poses[b], motions[b] = b.pose, own_motion(b, b.dimension == 2 and in_plane or in_space)
  end
  local is_set, is_timed = { [world] = true }, { [world] = true }     -- along joints all of whose freedoms are given
  walk(edges, function(j, from_first, b, other)
    if not j then
      is_set[b], is_timed[b] = true, true
      return
    end
    local part, s = find(parent, b), algebra(j)
    is_set[other] = is_set[b] and gives_all(j, j.start)
    is_timed[other] = is_timed[b] and gives_all(j, j.rates)
    local here = b.is_world and s.pose(b) or poses[b]
    if moved[part] then poses[other] = across(j, from_first, here) end
    if moving[part] and not other.start_velocity and not other.start_omega then
      local motion = motions[b] or { v = s.still, omega = s.no_spin }
      motions[other] = motion_across(j, from_first, here, poses[other], motion)
    end
  end)
  for _, b in ipairs(Bodies) do
    local part = find(parent, b)
    inside.at_line(b.line)
    local begin = b.dimension == 2 and begin_plane or begin_space
    begin(b, poses[b], motions[b], looped[part] and moved[part] and not is_set[b],
          looped[part] and moving[part] and not is_timed[b])
  end
  for _, j in ipairs(Joints) do
    local part = find(parent, j.a)
    if looped[part] then
      for _, name in ipairs(j.kind.freedoms) do
        local is_given = j.start[name] and not j.is_free[name] and not (is_set[j.a] and is_set[j.b])
        local is_timed_here = j.rates[name] and not (is_timed[j.a] and is_timed[j.b])
        local is_held = j.follows[name] or inside.is_coordinate(j.symbols[name])
        if (is_given or is_timed_here) and not is_held then hold(j, name) end
      end
    end
    begin_freedoms(j, looped[part] and moved[part], looped[part] and moving[part])
  end
end

-- ---- rods: which may turn about themselves ----

-- Joints that leave a turn about z of their frame.
local turns_about_z = { [Kinds.revolute] = true, [Kinds.cylindrical] = true, [Kinds.planar] = true,
                        [Kinds.screw] = true }

local function keeps(j, b)
  if j.kind == Kinds.spherical or not j.kind.place then return false end     -- without a place: a distance
  if not turns_about_z[j.kind] then return true end
  local z = turn((rawequal(j.a, b) and j.first or j.second).q, vector{0, 0, 1})
  return math.abs(inside.value(dot(z, b.thin))) < 1 - 1e-9
end

-- For the message of a mass matrix that is singular.
local function mark_thin()
  local is_kept = {}
  for _, j in ipairs(Joints) do
    for _, b in ipairs{j.a, j.b} do
      if b.dimension == 3 and b.thin and keeps(j, b) then is_kept[b] = true end
    end
  end
  for _, b in ipairs(Bodies) do
    if b.dimension == 3 and b.thin and not is_kept[b] then inside.thin(b.rotation) end
  end
end

function finish()
  if #Bodies == 0 then
    if Weight then
      inside.at_line(Weight.line)
      refuse("gravity acts on bodies, and there is none; write the potential of points into the Lagrangian")
    end
    return
  end
  if Weight then
    inside.at_line(Weight.line)
    for _, b in ipairs(Bodies) do
      if #Weight.g ~= b.dimension then
        refuse("gravity is a vector of " .. #Weight.g .. ", but body '" .. b.name .. "' (line " .. b.line .. ") has " ..
               b.dimension .. " dimensions; make all bodies of one kind")
      end
      lagrangian(b.mass*dot(Weight.g, b.centre))
    end
  end
  start_bodies()
  mark_thin()
end
