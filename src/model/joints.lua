-- Joints: constraints between two bodies, their freedoms, and what they transmit.
--
-- A joint has a frame in each of its bodies: a place, and axes of which z is the joint's axis. In the position in which
-- the bodies are declared the frames coincide, and all freedoms are zero. With p = conj(a) b the quaternion that turns
-- the first frame into the second, p.x = p.y = 0 leaves a rotation about z, p.x = p.y = p.z = 0 none. These are
-- bilinear in the two rotations, and linear where one of the bodies is the world.

local X, Y, Z = vector{1, 0, 0}, vector{0, 1, 0}, vector{0, 0, 1}
local basis = {One, vector{0, 1, 0, 0}, vector{0, 0, 1, 0}, vector{0, 0, 0, 1}}

-- ---- frames ----

-- The quaternion of a rotation matrix with columns x, y, z; the largest of its components is found first.
local function quaternion_of(x, y, z)
  local a, b, c = inside.value(x[1]), inside.value(y[2]), inside.value(z[3])
  if a + b + c > 0 then
    local w = sqrt(1 + x[1] + y[2] + z[3])/2
    return vector{w, (y[3] - z[2])/(4*w), (z[1] - x[3])/(4*w), (x[2] - y[1])/(4*w)}
  elseif a >= b and a >= c then
    local u = sqrt(1 + x[1] - y[2] - z[3])/2
    return vector{(y[3] - z[2])/(4*u), u, (x[2] + y[1])/(4*u), (z[1] + x[3])/(4*u)}
  elseif b >= c then
    local u = sqrt(1 - x[1] + y[2] - z[3])/2
    return vector{(z[1] - x[3])/(4*u), (x[2] + y[1])/(4*u), u, (y[3] + z[2])/(4*u)}
  end
  local u = sqrt(1 - x[1] - y[2] + z[3])/2
  return vector{(x[2] - y[1])/(4*u), (z[1] + x[3])/(4*u), (y[3] + z[2])/(4*u), u}
end

-- Axes with this z, and x as near to the given direction as can be. Without one: turned from z the shortest way.
function axes_of(axis, x, what)
  local z = unit(axis, what)
  if x then
    local across = x - dot(x, z)*z
    if not (inside.value(norm2(across)) > 1e-20*inside.value(norm2(x))) then
      refuse(what .. ": x_axis is along it; give another direction")
    end
    local e = unit(across, what)
    return clean(quaternion_of(e, cross(z, e), z))
  end
  local q
  if inside.value(z[3]) > -0.5 then q = vector{1 + z[3], -z[2], z[1], 0}
  else q = vector{-z[2], 1 - z[3], 0, z[1]} end    -- first half a turn about x
  return clean(q/norm(q))
end

-- The quaternion of the frame that a table with axis and x asks for.
local function axes_given(t, who)
  if t.axis == nil and t.x_axis == nil then return One end
  return axes_of(t.axis ~= nil and get_place(t.axis, 3, "the axis of " .. who) or Z,
                 t.x_axis ~= nil and get_place(t.x_axis, 3, "x_axis of " .. who), "the axis of " .. who)
end

local frame_keys = set_of "at axis x_axis"

local function own_frame(t, which, who)
  if type(t) ~= "table" then
    refuse(who .. ": " .. which .. " is a frame in its body; write " .. which ..
           " = { at = {x, y, z}, axis = {x, y, z} }")
  end
  check_keys(t, which .. " of " .. who, frame_keys)
  if t.at == nil then refuse(who .. ": " .. which .. " has no place; give at = {x, y, z}, in the axes of its body") end
  return { at = get_place(t.at, 3, which .. " of " .. who), q = axes_given(t, who) }
end

function check_placed(b, who)
  if not b.is_placed then
    refuse(who .. " is given by its place in space, but '" .. b.name .. "' has none; give at = {...} to the body, " ..
           "or first = {...}, second = {...} to the joint")
  end
end

local function frames_in_space(j, o, who)
  if o.first ~= nil or o.second ~= nil then
    if o.first == nil or o.second == nil or o.at ~= nil or o.axis ~= nil or o.x_axis ~= nil then
      refuse(who .. " is given by at, axis and x_axis in space, or by first = {...} and second = {...} in its " ..
             "bodies; give one or the other")
    end
    return own_frame(o.first, "first", who), own_frame(o.second, "second", who)
  end
  if o.at == nil then refuse(who .. " has no place; give at = {x, y, z}") end
  check_placed(j.a, who)
  check_placed(j.b, who)
  local at, q, list = get_place(o.at, 3, "at of " .. who), axes_given(o, who), {}
  for i, b in ipairs{j.a, j.b} do
    local back = conjugate(b.pose.q)
    list[i] = { at = clean(turn(back, at - b.pose.c)), q = clean(multiply(back, q)) }
  end
  return list[1], list[2]
end

-- Component k (1 is w) of the quaternion from the first frame to the second.
function relative(j, k)
  local s = get_field(j, "turned")
  if not s then
    s = multiply(conjugate(j.a.rotation), j.b.rotation)
    set_field(j, "turned", s)
    local back, columns = conjugate(j.first.q), {}
    for i = 1, 4 do columns[i] = clean(multiply(multiply(back, basis[i]), j.second.q)) end
    set_field(j, "columns", columns)
  end
  local sum, columns = symbol(0), get_field(j, "columns")
  for i = 1, 4 do sum = sum + columns[i][k]*s[i] end
  return sum
end

-- An axis of the first frame, in space.
function axis_in_space(j, e) return j.a:direction(clean(turn(j.first.q, e))) end

-- ---- freedoms ----

-- An angle about z: a coordinate of its own, which goes on over many turns; the bodies give it without inertia.
local function declare_angle(j, name, sine, cosine, half)
  local phi = coordinate(j.name .. "_" .. name)
  local at = half and phi/2 or phi
  constraint(j.name .. "_" .. name, (half and 2 or 1)*(sine*cos(at) - cosine*sin(at)))
  return phi
end

local function angle_about_z(j, name) return declare_angle(j, name, relative(j, 4), relative(j, 1), true) end

local function length_along(e)
  return function(j, name)
    local length = dot(j.gap, axis_in_space(j, e))
    observe(j.name .. "_" .. name, length)
    return length
  end
end

-- In a universal joint x is fixed in the first body, y in the second: the first angle is that of y about x, the second
-- that of x about y. Entries of the matrix of p.
local function entry(j, row, column)
  return dot(axis_in_space(j, row), j.b:direction(clean(turn(j.second.q, column))))
end
local function angle_of_y(j, name) return declare_angle(j, name, entry(j, Z, Y), entry(j, Y, Y)) end
local function angle_of_x(j, name) return declare_angle(j, name, entry(j, X, Z), entry(j, X, X)) end

local function about_z(phi) return vector{cos(phi/2), 0, 0, sin(phi/2)} end
local nothing = vector{0, 0, 0}

-- Each kind: which displacements and rotations it takes away, its freedoms in order, and where it puts the second
-- frame: place(freedoms) gives displacement and quaternion in the first frame, motion(freedoms, rates) velocity and
-- angular velocity.
Kinds = {
  fixed = { together = true, turns = {2, 3, 4}, freedoms = {},
            place = function() return nothing, One end, motion = function() return nothing, nothing end },
  revolute = { together = true, turns = {2, 3}, freedoms = {"angle"}, declare = { angle = angle_about_z },
               place = function(f) return nothing, about_z(f.angle) end,
               motion = function(f, r) return nothing, r.angle*Z end },
  prismatic = { across = {X, Y}, turns = {2, 3, 4}, freedoms = {"slide"}, declare = { slide = length_along(Z) },
                place = function(f) return f.slide*Z, One end,
                motion = function(f, r) return r.slide*Z, nothing end },
  cylindrical = { across = {X, Y}, turns = {2, 3}, freedoms = {"angle", "slide"},
                  declare = { angle = angle_about_z, slide = length_along(Z) },
                  place = function(f) return f.slide*Z, about_z(f.angle) end,
                  motion = function(f, r) return r.slide*Z, r.angle*Z end },
  planar = { across = {Z}, turns = {2, 3}, freedoms = {"angle", "x", "y"},
             declare = { angle = angle_about_z, x = length_along(X), y = length_along(Y) },
             place = function(f) return f.x*X + f.y*Y, about_z(f.angle) end,
             motion = function(f, r) return r.x*X + r.y*Y, r.angle*Z end },
  spherical = { together = true, turns = {}, freedoms = {}, is_loose = true,
                place = function() return nothing, One end, motion = function() return nothing, nothing end },
  universal = { together = true, turns = {}, freedoms = {"angle1", "angle2"},
                declare = { angle1 = angle_of_y, angle2 = angle_of_x },
                place = function(f)
                  local a, b = f.angle1/2, f.angle2/2
                  return nothing, multiply(vector{cos(a), sin(a), 0, 0}, vector{cos(b), 0, sin(b), 0})
                end,
                motion = function(f, r)
                  return nothing, r.angle1*X + r.angle2*vector{0, cos(f.angle1), sin(f.angle1)}
                end },
}
-- The slide of a screw follows from its angle.
Kinds.screw = { across = {X, Y}, turns = {2, 3}, freedoms = {"angle"},
                declare = { angle = angle_about_z, slide = length_along(Z) },
                place = function(f, j) return j.advance*f.angle*Z, about_z(f.angle) end,
                motion = function(f, r, j) return j.advance*r.angle*Z, r.angle*Z end }

local is_angle = { angle = true, angle1 = true, angle2 = true }

-- The symbol of a freedom; the first use declares it.
function freedom(j, name)
  local e = j.symbols[name]
  if not e then
    e = j.kind.declare[name](j, name)
    j.symbols[name] = e
  end
  return e
end

local of_freedom = { angle = set_of "start rate stiffness rest damping limits restitution motion torque",
                     length = set_of "start rate stiffness rest damping limits restitution motion force" }

local function set_limits(j, name, x, t, who)
  if type(t.limits) ~= "table" or rawlen(t.limits) ~= 2 then
    refuse(who .. ": limits are two numbers; write limits = {least, greatest}")
  end
  local how = { restitution = t.restitution }
  contact(j.name .. "_" .. name .. "_low", x - get_constant(t.limits[1], "limits of " .. who), how)
  contact(j.name .. "_" .. name .. "_high", get_constant(t.limits[2], "limits of " .. who) - x, how)
end

-- One freedom as its options say: a start value, or a table of start, rate, spring, damper, limits, motor.
local function equip(j, name, given, who)
  if type(given) ~= "table" then given = { start = given } end
  local kind = (is_angle[name] or (j.kind.angles and j.kind.angles[name])) and "angle" or "length"
  who = name .. " of " .. who
  check_keys(given, who, of_freedom[kind])
  local x, effort = freedom(j, name), symbol(0)
  if given.start ~= nil then
    local guess = inside.guess(given.start)
    j.start[name], j.is_free[name] = guess or get_constant(given.start, who), guess and true or nil
  end
  if given.rate ~= nil then j.rates[name] = get_constant(given.rate, "rate of " .. who) end
  if given.stiffness ~= nil then
    local k = get_constant(given.stiffness, "stiffness of " .. who)
    local rest = get_constant(given.rest or 0, "rest of " .. who)
    lagrangian(-k/2*(x - rest)^2)
    effort = effort - k*(x - rest)
  elseif given.rest ~= nil then refuse(who .. ": rest belongs to a spring; give stiffness = k, too") end
  if given.damping ~= nil then
    local c = get_constant(given.damping, "damping of " .. who)
    force(x, -c*x.dot)
    effort = effort - c*x.dot
  end
  local drive = given.torque
  if kind == "length" then drive = given.force end
  if drive ~= nil then
    force(x, drive)
    effort = effort + drive
  end
  if given.motion ~= nil then
    if given.start ~= nil or given.rate ~= nil then refuse(who .. " follows its motion; leave start and rate out") end
    local lambda = constraint(j.name .. "_" .. name .. "_motion", x - given.motion)
    effort = effort + lambda
    local at, rate = inside.initially(given.motion), symbol(0)
    if inside.value(at) == nil then
      refuse("motion of " .. who .. " contains coordinates; give a function of time and parameters")
    end
    if type(given.motion) ~= "number" then rate = inside.initially(given.motion.dot) end
    j.start[name], j.rates[name], j.follows[name] = at, rate, true
  end
  j.efforts[name] = effort
  if given.limits ~= nil then set_limits(j, name, x, given, who)
  elseif given.restitution ~= nil then
    refuse(who .. ": restitution belongs to limits; give limits = {least, greatest}, too")
  end
end

-- ---- what a joint transmits: force and torque on the second body, about the place of its frame ----

local function sum_over(j, b)
  local zero = b.dimension == 2 and vector{0, 0} or vector{0, 0, 0}
  local pull, twist = zero, b.dimension == 2 and symbol(0) or vector{0, 0, 0, 0}
  for _, c in ipairs(j.constraints) do
    pull = pull + c.lambda*inside.gradient(c.value, b.centre)
    twist = twist + c.lambda*inside.gradient(c.value, b.dimension == 2 and b.angle or b.rotation)
  end
  if b.dimension == 2 then return pull, twist end
  local turned = multiply(twist, conjugate(b.rotation))
  local torque, grip = vector{turned[2], turned[3], turned[4]}/2, vector{0, 0, 0}
  for _, c in ipairs(j.grips) do grip = grip + c.lambda*c.along end
  return pull + grip, torque + cross(j.place - b.centre, grip)
end

local function wrench(j)
  local b, sign = j.b, 1
  if b.is_world then b, sign = j.a, -1 end
  local pull, twist = sum_over(j, b)
  twist = twist - cross(j.place - b.centre, pull)
  return sign*pull, sign*twist
end

-- In the axes of the first frame.
local function in_frame(j, v)
  if j.dimension == 2 then
    local e = direction_in_plane(j.a, Turn2(j.first.q, vector{1, 0}))
    return vector{dot(v, e), cross(e, v)}
  end
  return vector{dot(v, axis_in_space(j, X)), dot(v, axis_in_space(j, Y)), dot(v, axis_in_space(j, Z))}
end

local fields = {}
function fields.force_space(j) return (wrench(j)) end
function fields.torque_space(j) return (select(2, wrench(j))) end
function fields.force(j) return in_frame(j, (wrench(j))) end
function fields.torque(j)
  local _, twist = wrench(j)
  return j.dimension == 2 and twist or in_frame(j, twist)
end
function fields.omega(j)
  if j.dimension == 2 then return (angle_of(j.b) - angle_of(j.a)).dot end
  return in_frame(j, j.b.omega_space - j.a.omega_space)
end
function fields.rate(j)
  if #j.kind.freedoms ~= 1 then refuse("joint '" .. j.name .. "' has no single rate; write for example j.angle.dot") end
  return freedom(j, j.kind.freedoms[1]).dot
end
local function effort(j, name)
  name = name or j.kind.freedoms[1]
  if name == nil or j.efforts[name] == nil then
    refuse("joint '" .. j.name .. "' has no spring, damper or motor here; give one to a freedom of it")
  end
  return j.efforts[name]
end

-- Is it a name that all joints have?
local of_joints = set_of "effort name place gap first second kind"
function is_field_of_joint(name) return fields[name] ~= nil or of_joints[name] == true end

Joint = {}
Joint.__index = function(j, key)
  local value = get_field(j, key)
  if value ~= nil then return value end
  if key == "effort" then return effort end
  local kind = get_field(j, "kind")
  if kind.declare and kind.declare[key] then return freedom(j, key) end
  if fields[key] then return fields[key](j) end
  local own = table.concat(kind.freedoms, ", ")
  refuse("joint '" .. j.name .. "' has no field '" .. tostring(key) .. "'; it has " .. own ..
         (own == "" and "" or ", ") .. "force, torque, force_space, torque_space, omega, place and effort")
end
Joint.__newindex = function() refuse("fields of joints cannot be set; give all when the joint is made") end
Joint.__tostring = function(j) return "joint " .. j.name end

-- `of_bodies`: the same by coordinates of bodies alone, where the value contains an angle that they give.
function add_constraint(j, suffix, value, of_bodies)
  local lambda = constraint(j.name .. "_" .. suffix, value)
  j.constraints[#j.constraints + 1] = { value = of_bodies or value, lambda = lambda }
end

-- What holds the velocity of the second body at the joint's place along a direction.
function add_grip(j, suffix, slip, along)
  local lambda = constraint(j.name .. "_" .. suffix, dot(slip, along))
  j.grips[#j.grips + 1] = { along = along, lambda = lambda }
end

function angle_between(j) return 2*atan2(relative(j, 4), relative(j, 1)) end

-- ---- making joints ----

local common = set_of "at axis x_axis first second reactions"

-- Checks the arguments that all joints share. Returns the joint, its options, and its name in messages.
function begin_joint(type_name, name, a, b, options, allowed)
  inside.name(name, type_name)
  local who = type_name .. " '" .. name .. "'"
  for i, x in ipairs{a or false, b or false} do
    if not is_body(x) then
      refuse(who .. " needs two bodies, got " .. show(x or nil) .. "; write " .. type_name .. "(\"" .. name ..
             "\", world, b, {...})")
    end
  end
  if rawequal(a, b) then refuse(who .. " joins '" .. a.name .. "' to itself; name two bodies") end
  local dimension = math.max(a.dimension, b.dimension)
  if (a.dimension ~= dimension and not a.is_world) or (b.dimension ~= dimension and not b.is_world) then
    refuse(who .. " joins a body in the plane to one in space; make both of one kind")
  end
  local o = get_options(options, who, allowed)
  local j = { name = name, a = a, b = b, dimension = dimension, line = inside.line(), constraints = {}, grips = {},
              symbols = {}, start = {}, rates = {}, is_free = {}, follows = {}, measured = {}, efforts = {},
              advance = false, radius = false, has_own_frames = o.first ~= nil }
  return j, o, who
end

-- Columns of the results, when they are asked for.
function report(j)
  local force, twist = j.force, j.torque
  local letters = j.dimension == 2 and {"x", "y"} or {"x", "y", "z"}
  for i, letter in ipairs(letters) do observe(j.name .. ".force." .. letter, force[i]) end
  if j.dimension == 2 then return observe(j.name .. ".torque", twist) end
  for i, letter in ipairs(letters) do observe(j.name .. ".torque." .. letter, twist[i]) end
end

function end_joint(j, o, who)
  Joints[#Joints + 1] = j
  for _, name in ipairs(j.kind.freedoms) do
    if o[name] ~= nil then equip(j, name, o[name], who) end
  end
  if o.reactions then report(j) end
  return j
end

local function allowed_of(type_name, more)
  local allowed = {}
  for key in pairs(common) do allowed[key] = true end
  for _, key in ipairs(Kinds[type_name].freedoms) do allowed[key] = true end
  for key in pairs(set_of(more or "")) do allowed[key] = true end
  return allowed
end

local letters = {"x", "y", "z"}

local function constrain(j)
  local kind = j.kind
  if kind.together then
    for i, letter in ipairs(letters) do add_constraint(j, letter, j.gap[i]) end
  end
  for _, e in ipairs(kind.across or {}) do
    local letter = rawequal(e, X) and "x" or rawequal(e, Y) and "y" or "z"
    add_constraint(j, letter, dot(j.gap, axis_in_space(j, e)))
  end
  for _, k in ipairs(kind.turns) do add_constraint(j, "r" .. letters[k - 1], 2*relative(j, k)) end
end

-- A universal joint is given by two axes: that of the first body is x of its frame, that of the second y.
local function cross_axes(o, who)
  if o.first ~= nil or o.second ~= nil then return o end
  if o.axis == nil or o.axis2 == nil then
    refuse(who .. " has two axes; give axis = {x, y, z}, fixed in the first body, and axis2, fixed in the second")
  end
  local u = unit(get_place(o.axis, 3, "the axis of " .. who), "the axis of " .. who)
  local v = unit(get_place(o.axis2, 3, "axis2 of " .. who), "axis2 of " .. who)
  if math.abs(inside.value(dot(u, v))) > 1e-9 then
    refuse(who .. ": its two axes are not at right angles; give such axes")
  end
  return { at = o.at, axis = cross(u, v), x_axis = u }
end

local options_of = {}

local function make(type_name, name, a, b, options)
  options_of[type_name] = options_of[type_name] or
    allowed_of(type_name, type_name == "screw" and "pitch" or type_name == "universal" and "axis2" or "")
  local j, o, who = begin_joint(type_name, name, a, b, options, options_of[type_name])
  if j.dimension == 2 then return make_in_plane(type_name, j, o, who) end
  j.kind = Kinds[type_name]
  j.first, j.second = frames_in_space(j, type_name == "universal" and cross_axes(o, who) or o, who)
  j.place = b:point(j.second.at)
  j.gap = j.place - a:point(j.first.at)
  j = seal(Joint, j)
  constrain(j)
  if type_name == "universal" then add_constraint(j, "r", entry(j, X, Y)) end
  if type_name == "screw" then
    if o.pitch == nil then refuse(who .. " has no pitch; give pitch = p, its advance in one turn") end
    set_field(j, "advance", get_constant(o.pitch, "the pitch of " .. who)/(2*pi))
    local slide = dot(j.gap, axis_in_space(j, Z))
    add_constraint(j, "screw", slide - j.advance*freedom(j, "angle"), slide - j.advance*angle_between(j))
  end
  return end_joint(j, o, who)
end

for type_name in pairs(Kinds) do
  _ENV[type_name] = function(name, a, b, options, ...)
    if select("#", ...) > 0 then
      refuse(type_name .. " has too many arguments; give a name, two bodies and one table")
    end
    return make(type_name, name, a, b, options)
  end
end

-- ---- in the plane ----

local keys2 = set_of "at axis"

local function frame2(t, which, who)
  if type(t) ~= "table" then refuse(who .. ": " .. which .. " is a frame in its body; write { at = {x, y} }") end
  check_keys(t, which .. " of " .. who, keys2)
  if t.at == nil then refuse(who .. ": " .. which .. " has no place; give at = {x, y}, in the axes of its body") end
  local e = t.axis ~= nil and get_place(t.axis, 2, "the axis of " .. who) or vector{1, 0}
  return { at = get_place(t.at, 2, which .. " of " .. who), q = atan2(e[2], e[1]) }
end

local function frames_in_plane(j, o, who)
  if o.first ~= nil or o.second ~= nil then
    if o.first == nil or o.second == nil or o.at ~= nil or o.axis ~= nil then
      refuse(who .. " is given by at and axis in the plane, or by first = {...} and second = {...} in its bodies; " ..
             "give one or the other")
    end
    return frame2(o.first, "first", who), frame2(o.second, "second", who)
  end
  if o.at == nil then refuse(who .. " has no place; give at = {x, y}") end
  check_placed(j.a, who)
  check_placed(j.b, who)
  local whole, list = frame2({ at = o.at, axis = o.axis }, "at", who), {}
  for i, b in ipairs{j.a, j.b} do
    local pose = pose_in_plane(b)
    list[i] = { at = clean(Turn2(-pose.q, whole.at - pose.c)), q = whole.q - pose.q }
  end
  return list[1], list[2]
end

-- Kinds in the plane; angles are sums of coordinates and go on by themselves.
local function angle2(j) return angle_of(j.b) - angle_of(j.a) + (j.second.q - j.first.q) end
local function axis2(j, v) return direction_in_plane(j.a, Turn2(j.first.q, v)) end
local function observed(f)
  return function(j, name)
    local e = f(j)
    observe(j.name .. "_" .. name, e)
    return e
  end
end
local X2, Y2, nothing2 = vector{1, 0}, vector{0, 1}, vector{0, 0}

Kinds2 = {
  fixed = { freedoms = {}, constrain = function(j)
              add_constraint(j, "x", j.gap[1])
              add_constraint(j, "y", j.gap[2])
              add_constraint(j, "r", angle2(j))
            end,
            place = function() return nothing2, symbol(0) end, motion = function() return nothing2, symbol(0) end },
  revolute = { freedoms = {"angle"}, declare = { angle = observed(angle2) }, constrain = function(j)
                 add_constraint(j, "x", j.gap[1])
                 add_constraint(j, "y", j.gap[2])
               end,
               place = function(f) return nothing2, f.angle end,
               motion = function(f, r) return nothing2, r.angle end },
  prismatic = { freedoms = {"slide"}, declare = { slide = observed(function(j) return dot(j.gap, axis2(j, X2)) end) },
                constrain = function(j)
                  add_constraint(j, "y", dot(j.gap, axis2(j, Y2)))
                  add_constraint(j, "r", angle2(j))
                end,
                place = function(f) return f.slide*X2, symbol(0) end,
                motion = function(f, r) return r.slide*X2, symbol(0) end },
}

function make_in_plane(type_name, j, o, who)
  j.kind = Kinds2[type_name]
  if not j.kind then refuse(who .. " joins bodies in space; in the plane there are fixed, revolute and prismatic") end
  j.first, j.second = frames_in_plane(j, o, who)
  j.place = point_in_plane(j.b, j.second.at)
  j.gap = j.place - point_in_plane(j.a, j.first.at)
  j = seal(Joint, j)
  j.kind.constrain(j)
  return end_joint(j, o, who)
end
