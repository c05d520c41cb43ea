-- Problem A05 of the IFToMM benchmark library: Watt's governor with stiff spring-dampers instead of coupler rods (SI
-- units). Two arms hang on the top of a turning shaft, with balls at their ends; springs from their middles carry a slider.
title "Stiff flyball governor (IFToMM A05)"
local K, C = param("K", 8e5), param("C", 4e4)
local g, alpha = 9.81, pi/6                              -- the arms, below the horizontal
gravity{0, 0, -9.81}
local shaft  = body("shaft", { shape = box{0.01, 0.01, 1}, density = 3000, at = {0, 0, -0.5} })
local slider = body("slider", { shape = box{0.1, 0.1, 0.1}, density = 3000, at = {0, 0, -0.5} })
revolute("bearing", world, shaft, { at = {0, 0, 0}, axis = {0, 0, 1}, angle = { rate = 2*pi } })
local way = prismatic("way", shaft, slider, { at = {0, 0, -0.5}, axis = {0, 0, -1}, slide = 0 })
for i, side in ipairs{1, -1} do
  local arm = body("arm" .. i, { shape = box{1, 0.01, 0.01}, density = 3000,
                                 turned = {axis = {0, 1, 0}, angle = side*alpha},
                                 at = {side*cos(alpha)/2, 0, -sin(alpha)/2} })
  revolute("pin" .. i, shaft, arm, { at = {0, 0, 0}, axis = {0, side, 0}, angle = 0 })
  local ball_at = arm:point{side/2, 0, 0}
  lagrangian(5/2*norm2(ball_at.dot) - 5*g*ball_at.z)     -- a point mass of 5 kg
  local length = norm(slider.centre - arm.centre)
  lagrangian(-K/2*(length - 0.5)^2)
  force(length, -C*length.dot)
  draw { spring(slider.centre, arm.centre), ball(ball_at, 0.06) }
end
observe("s", 0.5 + way.slide)
