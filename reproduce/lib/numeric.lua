-- Small helpers of the experiments. They take plain and wide numbers alike.
local numeric = {}

function numeric.max(a, b) if b > a or b ~= b then return b end return a end

-- The Euclidean norm of a list, or of the difference of two.
function numeric.norm(x, y)
  local sum = 0
  for i = 1, #x do
    local d = y and x[i] - y[i] or x[i]
    sum = sum + d*d
  end
  return sqrt(sum)
end

-- (5.10) of Wendlandt & Marsden: the mean norm of the difference to the standard, divided by the length of the vectors.
function numeric.mean_error(list, standard)
  local sum = 0
  for i = 1, #list do sum = sum + numeric.norm(list[i], standard[i]) end
  return sum/(#list*#list[1])
end

-- The slope of log y against log x, by least squares.
function numeric.slope(x, y)
  local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
  for i = 1, #x do
    local a, b = math.log(number(x[i])), math.log(number(y[i]))
    n, sx, sy, sxx, sxy = n + 1, sx + a, sy + b, sxx + a*a, sxy + a*b
  end
  return (n*sxy - sx*sy)/(n*sxx - sx*sx)
end

-- (49) of Man, Gao & Zhong: the order that two errors show.
function numeric.order(e1, e2, h1, h2) return math.log(number(e1/e2))/math.log(h1/h2) end

-- The running maximum of a list.
function numeric.running(y)
  local out, most = {}, 0
  for i = 1, #y do
    most = math.max(most, y[i])
    out[i] = most
  end
  return out
end

-- Names of the columns that are coordinates, velocities or momenta.
function numeric.columns(z, kind)
  local all, out = z:columns(), {}
  for i, name in ipairs(all) do
    if kind == "p" and name:match("^p%.") then out[#out + 1] = name:sub(3) end
  end
  if kind == "p" then for i = 1, #out do out[i] = "p." .. out[i] end return out end
  for _, name in ipairs(all) do if name:match("^p%.") then out[#out + 1] = name:sub(3) end end
  return out
end

return numeric
