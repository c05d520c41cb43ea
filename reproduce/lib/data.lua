-- Results as files: JSON, written and read.
local data = {}

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
local function quote(s)
  return '"' .. s:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function encode(x)
  local kind = type(x)
  if kind == "nil" then return "null" end
  if kind == "string" then return quote(x) end
  if kind == "boolean" then return tostring(x) end
  if kind == "number" then
    if x ~= x or x == math.huge or x == -math.huge then return "null" end
    return math.type(x) == "integer" and tostring(x) or ("%.17g"):format(x)
  end
  if kind ~= "table" then return quote(tostring(x)) end        -- a wide number, with all its digits
  local parts = {}
  if #x > 0 or next(x) == nil then
    for i = 1, #x do parts[i] = encode(x[i]) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  local keys = {}
  for k in pairs(x) do keys[#keys + 1] = k end
  table.sort(keys)
  for i, k in ipairs(keys) do parts[i] = quote(k) .. ":" .. encode(x[k]) end
  return "{" .. table.concat(parts, ",") .. "}"
end
data.encode = encode

local function decode_at(s, i)
  i = s:find("%S", i)
  local c = s:sub(i, i)
  if c == '"' then
    local j = i + 1
    while true do
      local stop = s:find('["\\]', j)
      if s:sub(stop, stop) == '"' then j = stop break end
      j = stop + 2
    end
    local text = s:sub(i + 1, j - 1):gsub("\\u00(%x%x)", function(h) return string.char(tonumber(h, 16)) end)
                  :gsub("\\(.)", { n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\" })
    return text, j + 1
  elseif c == "[" or c == "{" then
    local close, result = c == "[" and "]" or "}", {}
    i = s:find("%S", i + 1)
    while s:sub(i, i) ~= close do
      local key
      if c == "{" then
        key, i = decode_at(s, i)
        i = s:find(":", i, true) + 1
      end
      local value
      value, i = decode_at(s, i)
      result[key or #result + 1] = value
      i = s:find("%S", i)
      if s:sub(i, i) == "," then i = s:find("%S", i + 1) end
    end
    return result, i + 1
  end
  local word = s:match("^[%w%.%+%-]+", i)
  if word == "true" then return true, i + 4 end
  if word == "false" then return false, i + 5 end
  if word == "null" then return 0/0, i + 4 end                 -- in lists of numbers: a gap
  return assert(tonumber(word), "not a number"), i + #word
end

-- nil for a text that is no JSON (a file cut short, say)
function data.decode(s)
  local ok, value = pcall(decode_at, s, 1)
  return ok and value or nil
end

function data.read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read("a")
  file:close()
  return text
end

-- All of it, or nothing: a reader never sees half a file.
function data.write(path, text)
  local temporary = path .. ".part"
  local file = assert(io.open(temporary, "wb"))
  assert(file:write(text))
  assert(file:close())
  assert(os.rename(temporary, path))
end

return data
