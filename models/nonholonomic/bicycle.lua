-- The Whipple bicycle with the benchmark parameters of Meijaard, Papadopoulos, Ruina & Schwab 2007 (Proc. R. Soc. A 463,
-- table 1), not linearised: four rigid bodies, knife-edge wheels that roll without slipping, nobody who steers. Axes as
-- in the paper: x ahead, y to the right, z down; the ground is z = 0. Upright and straight it is stable between the
-- weave speed, 4.292 m/s, and the capsize speed, 6.024 m/s.
title "Bicycle"
local v0    = param("v0", 5)
local g     = param("g", 9.81)
local w, c  = param("w", 1.02), param("c", 0.08)      -- wheel base, trail
local tail  = param("lambda_s", pi/10)                -- steer axis tilt
local rR, mR, IRxx, IRyy = 0.3, 2, 0.0603, 0.12       -- rear wheel
local xB, zB, mB = 0.3, -0.9, 85                      -- rear frame with rider
local IBxx, IByy, IBzz, IBxz = 9.2, 11, 2.8, 2.4
local xH, zH, mH = 0.9, -0.7, 4                       -- fork and handlebar
local IHxx, IHyy, IHzz, IHxz = 0.05892, 0.06, 0.00708, -0.00756
local rF, mF, IFxx, IFyy = 0.35, 3, 0.1405, 0.28      -- front wheel

-- The rear wheel's place of contact; yaw, roll (lean) and pitch of the frame, steer, and how far the wheels have turned.
local x, y = coordinate("x"), coordinate("y")
local yaw, roll, pitch, steer = coordinate("yaw"), coordinate("roll"), coordinate("pitch"), coordinate("steer")
local rear, front = coordinate("rear"), coordinate("front")

local ez = vector{0, 0, 1}
local ahead = vector{cos(yaw), sin(yaw), 0}
local side  = vector{-sin(yaw)*cos(roll), cos(yaw)*cos(roll), sin(roll)}      -- the rear axle
local down  = vector{sin(yaw)*sin(roll), -cos(yaw)*sin(roll), cos(roll)}      -- in the plane of the rear wheel
local bx, bz = cos(pitch)*ahead - sin(pitch)*down, sin(pitch)*ahead + cos(pitch)*down

local CR = vector{x, y, 0} - rR*down
local CB = CR + xB*bx + (zB + rR)*bz
local axis = sin(tail)*bx + cos(tail)*bz                                      -- of steering
local straight = cos(tail)*bx - sin(tail)*bz
local fore = cos(steer)*straight + sin(steer)*side
local axle = cos(steer)*side - sin(steer)*straight                            -- of the front wheel
local hx, hz = cos(tail)*fore + sin(tail)*axis, cos(tail)*axis - sin(tail)*fore
local S  = CR + (w + c)*bx + rR*bz                                            -- where the steer axis met the ground
local CH = S + (xH - w - c)*hx + zH*hz
local CF = S - c*hx - rF*hz

local wB = yaw.dot*ez + roll.dot*ahead + pitch.dot*side
local wH = wB + steer.dot*axis
local wR, wF = wB + rear.dot*side, wH + front.dot*axle

local function wheel(m, C, om, n, across, along)
  local spin = dot(om, n)
  return m/2*norm2(C.dot) + across/2*(norm2(om) - spin^2) + along/2*spin^2 + m*g*C.z
end
local function frame(m, C, om, ex, ey, ez_, Ixx, Iyy, Izz, Ixz)
  local ox, oy, oz = dot(om, ex), dot(om, ey), dot(om, ez_)
  return m/2*norm2(C.dot) + (Ixx*ox^2 + Iyy*oy^2 + Izz*oz^2)/2 + Ixz*ox*oz + m*g*C.z
end
lagrangian(wheel(mR, CR, wR, side, IRxx, IRyy) + wheel(mF, CF, wF, axle, IFxx, IFyy)
           + frame(mB, CB, wB, bx, side, bz, IBxx, IByy, IBzz, IBxz)
           + frame(mH, CH, wH, hx, axle, hz, IHxx, IHyy, IHzz, IHxz))

-- The front wheel touches the ground where it is lowest.
local level = sqrt(1 - axle.z^2)
local below = (ez - axle.z*axle)/level
constraint("front_contact", CF.z + rF*level)
local slipR, slipF = CR.dot + rR*cross(wR, down), CF.dot + rF*cross(wF, below)
constraint("rear_x", slipR.x)
constraint("rear_y", slipR.y)
constraint("front_x", slipF.x)
constraint("front_y", slipF.y)

local roll0, steer0 = param("roll0", 0), param("steer0", 0)
local roll_rate, steer_rate = param("roll_rate", 0.5), param("steer_rate", 0)
start { x = 0, y = 0, yaw = 0, roll = roll0, pitch = free(0), steer = steer0, rear = 0, front = 0,
        ["x.dot"] = free(v0), ["y.dot"] = free(0), ["yaw.dot"] = free(0), ["roll.dot"] = roll_rate,
        ["pitch.dot"] = free(0), ["steer.dot"] = steer_rate, ["rear.dot"] = -v0/rR, ["front.dot"] = free(-v0/rF) }
observe("speed", x.dot*cos(yaw) + y.dot*sin(yaw))
local function up(p) return vector{p.x, -p.y, -p.z} end                       -- pictures have z up
draw { ground(), bar(up(CR), up(CB)), bar(up(CB), up(S - hz)), bar(up(S - hz), up(CF)),
       bar(up(CR - rR*down), up(CR + rR*down)), bar(up(CR - rR*ahead), up(CR + rR*ahead)),
       bar(up(CF - rF*below), up(CF + rF*below)), ball(up(CB), 0.15) }
