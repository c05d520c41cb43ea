-- A crank, a rod and a piston in the plane (SI units), driven by a torque; the rod's joints close the loop.
title "Joints in the plane: slider and crank"
local r, l = param("r", 0.1), param("l", 0.3)
gravity{0, -9.81}
local crank  = body2("crank", { shape = rod{length = r}, mass = 0.5, at = {r/2, 0} })
local link   = body2("link", { shape = rod{length = l}, mass = 1, at = {r + l/2, 0} })
local piston = body2("piston", { shape = box{0.08, 0.05}, mass = 0.7, at = {r + l, 0} })
local main   = revolute("main", world, crank, { at = {0, 0}, angle = { start = 0.7, rate = 10, torque = 0.5 } })
local pin    = revolute("pin", crank, link, { at = {r, 0}, reactions = true })
local wrist  = revolute("wrist", link, piston, { at = {r + l, 0} })
local bore   = prismatic("bore", world, piston, { at = {r + l, 0}, axis = {1, 0}, slide = free(0) })
