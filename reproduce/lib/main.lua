-- taut reproduce: collects the experiments, computes what is not yet computed, judges, and writes pages.
local data, judge, page = require "data", require "judge", require "page"
local numeric = require "numeric"

-- ---- what there is ----

local function load_in(path, environment)
  local chunk, message = loadfile(path, "t", environment)
  if not chunk then error(message, 0) end
  return chunk()
end

-- The environment of descriptions: Lua, the numbers and simulations of the host, and
--   item(id, title, options, compute): compute(record, parts) fills the record (lib/record.lua). Options: short = true, it belongs to the
--   short form; minutes, about how long it takes; parts = function(brief), a list of names, and part = function(name, brief), which
--   returns a table of results: what takes long is computed in parts, each in a process of its own and kept when the run is interrupted.
local function environment(items)
  local e = setmetatable({}, { __index = _G })
  for k, v in pairs(numeric) do e[k] = v end
  function e.item(id, title, options, compute)
    items[#items + 1] = { id = id, title = title, short = options.short, minutes = options.minutes or 0, parts = options.parts, part = options.part,
                          compute = compute }
  end
  return e
end

local function load_paper(name)
  local folder = host.root .. "/reproduce/" .. name
  local paper, items = load_in(folder .. "/paper.lua", environment({})), {}
  paper.name, paper.folder, paper.items = name, folder, items
  for _, file in ipairs(paper.files) do
    local before = #items
    load_in(folder .. "/" .. file .. ".lua", environment(items))
    for i = before + 1, #items do items[i].text = data.read(folder .. "/" .. file .. ".lua") end
  end
  return paper
end

-- What every result depends on besides its own description: the program, the models, and what computes here.
local function foundation()
  local parts = { host.version, data.read(host.program) or "" }
  for _, folder in ipairs { "models", "models/papers" } do
    for _, name in ipairs(host.list(host.root .. "/" .. folder) or {}) do
      if name:match("%.lua$") then parts[#parts + 1] = data.read(host.root .. "/" .. folder .. "/" .. name) end
    end
  end
  parts[#parts + 1] = data.read(host.root .. "/reproduce/lib/numeric.lua")
  parts[#parts + 1] = data.read(host.root .. "/reproduce/lib/record.lua")
  for i = 1, #parts do parts[i] = host.hash(parts[i]) end
  return table.concat(parts, " ")
end

-- ---- computing ----

local function result_path(options, paper, item)
  return ("%s/results/%s.%s%s.json"):format(options.output, paper.name, item.id, options.brief and ".short" or "")
end

local function stored(path, key)
  local text = data.read(path)
  local result = text and data.decode(text)
  return result and result.key == key and not result.error and result or nil
end

local function handler(m) return debug.traceback(m, 2) end

-- In a process of its own: a part, or an item from its parts.
local function compute(job, options)
  local from, work = host.clock(), host.work()
  local result, ok, message
  if job.part then
    ok, message = xpcall(job.item.part, handler, job.part, options.brief)
    result = { data = ok and message or nil }
  else
    local record, parts = require("record").new(options.brief), {}
    local lost
    for _, p in ipairs(job.parts) do
      local found = data.decode(data.read(p.path) or "")
      if not found or found.key ~= p.key then lost = ("the part %s: its process ended early"):format(p.part)
      elseif found.error then lost = ("the part %s: %s"):format(p.part, found.error) end
      parts[p.part] = found and found.data
    end
    ok, message = not lost, lost
    if ok then ok, message = xpcall(job.item.compute, handler, record, parts) end
    result = record:result()
  end
  result.key, result.seconds, result.work = job.key, host.clock() - from, host.work() - work
  for _, p in ipairs(job.parts or {}) do result.work = result.work + (data.decode(data.read(p.path) or "") or { work = 0 }).work end
  if not ok then result.error = tostring(message) end
  data.write(job.path, data.encode(result))
  return ok
end

local function progress(options, done, total, text)
  if options.quiet then return end
  local width = host.terminal()
  if width then
    local line = ("[%d/%d] %s"):format(done, total, text)
    io.stderr:write("\r\27[K", line:sub(1, width - 1))
    if done == total then io.stderr:write("\r\27[K") end
  else
    io.stderr:write(("[%d/%d] %s\n"):format(done, total, text))
  end
end

local function compute_all(jobs, options)
  if #jobs == 0 then return end
  table.sort(jobs, function(a, b)                                -- long ones first: the last to end should be a short one
    if a.item.minutes ~= b.item.minutes then return a.item.minutes > b.item.minutes end
    return a.name < b.name
  end)
  local running, next_job, done, from = {}, 1, 0, host.clock()
  local count = 0
  while done < #jobs do
    while count < options.jobs and next_job <= #jobs do
      local job = jobs[next_job]
      next_job, count = next_job + 1, count + 1
      running[host.spawn(function() return compute(job, options) end)] = job
    end
    local names, id, ok = {}, false, false
    for _, job in pairs(running) do names[#names + 1] = job.name end
    table.sort(names)
    while id == false do
      if host.terminal() then progress(options, done, #jobs, ("%.0f s   %s"):format(host.clock() - from, table.concat(names, ", "))) end
      id, ok = host.wait(1)
    end
    if not id then error("the processes are gone", 0) end
    local job = running[id]
    if job then
      running[id], count, done = nil, count - 1, done + 1
      progress(options, done, #jobs, ("%s %s after %.0f s"):format(job.name, ok and "done" or "FAILED", host.clock() - from))
    end
  end
end

-- ---- judging ----

-- The keys of a table in order.
local function sorted(t)
  local keys = {}
  for k in pairs(t) do keys[#keys + 1] = k end
  table.sort(keys)
  local i = 0
  return function() i = i + 1 return keys[i] end
end

-- Which of the expected ids the short form leaves out: those that match a pattern of expected.long, as a whole.
local function is_long(expected, id)
  for _, pattern in ipairs(expected.long or {}) do if id:find("^" .. pattern .. "$") then return true end end
  return false
end

-- Nothing may go missing. A pattern of expected.long that is too wide would hide what does, so what the short form computes
-- must not match any.
local function find_missing(expected, seen, options, add)
  for _, kind in ipairs { "values", "claims" } do
    for id in sorted(expected[kind]) do
      local name, published = kind == "claims" and "claim " .. id or id, kind == "claims" and expected.claims[id] or expected.values[id].published or ""
      local left_out = options.brief and is_long(expected, name)
      if not seen[name] and not left_out then add { title = name, published = published, verdict = "WAS NOT COMPUTED" } end
      if seen[name] and left_out then add { title = name, published = published, verdict = "COMPUTED, THOUGH EXPECTED.LUA CALLS IT LONG" } end
    end
  end
end

local function judge_paper(paper, options)
  local rows, seen, failed = {}, {}, false
  local expected = load_in(paper.folder .. "/expected.lua", environment({}))
  local function add_failure(row)
    row.published, row.shown, row.ok = row.published or "", "", false
    rows[#rows + 1] = row
  end
  for _, item in ipairs(paper.chosen) do
    local result, judged = item.result, 0
    item.rows, item.claims = {}, {}
    for _, value in ipairs(result.values) do
      local row = judge.value(value, expected.values[value.id])
      row.item, row.title = item.title, value.label or value.id
      row.shown = judge.shown(row)
      seen[value.id] = true
      item.rows[value.id] = row
      if expected.values[value.id] then
        rows[#rows + 1] = row
        if not row.timing then judged = judged + 1 end
      end
    end
    for _, claim in ipairs(result.claims) do
      local wanted = expected.claims[claim.id]
      seen["claim " .. claim.id] = true
      local row = { claim = true, title = "claim: " .. claim.id, published = wanted or "?", shown = claim.verdict,
                    ok = claim.verdict == wanted, verdict = claim.verdict == wanted and "as stated" or "NOT AS STATED" }
      rows[#rows + 1], judged = row, judged + 1
      claim.ok = row.ok
    end
    failed = failed or result.error
    if result.error then add_failure { title = item.title, verdict = "COULD NOT BE COMPUTED", detail = result.error }
    elseif judged == 0 then add_failure { title = item.title, verdict = "HAS NOTHING TO BE JUDGED" } end
  end
  if not failed then find_missing(expected, seen, options, add_failure) end
  if #rows == 0 then add_failure { title = paper.title, verdict = "HAS NOTHING TO BE JUDGED" } end
  return rows
end

local function clip(s, n)
  s = s or ""
  if utf8.len(s) > n then s = s:sub(1, utf8.offset(s, n) - 1) .. "…" end
  return s .. (" "):rep(n - utf8.len(s))
end

local function print_rows(paper, rows)
  for _, row in ipairs(rows) do
    io.write(("%s  %s  %s  %s  %s\n"):format(clip(paper.name, 17), clip(row.title or row.item, 44), clip(row.published or "-", 14),
                                         clip(row.shown, 18), row.verdict))
    if row.detail then io.write("    ", (row.detail:gsub("\n", "\n    ")), "\n") end
  end
end

-- ---- the whole ----

-- The folders of reproduce/ that hold a paper.lua, in the order that these ask for.
local function known_papers()
  local list = {}
  for _, name in ipairs(host.list(host.root .. "/reproduce") or {}) do
    local path = host.root .. "/reproduce/" .. name .. "/paper.lua"
    if data.read(path) then list[#list + 1] = { name = name, order = load_in(path, environment({})).order or 99 } end
  end
  table.sort(list, function(a, b) return a.order < b.order or a.order == b.order and a.name < b.name end)
  return list
end

local function choose_papers(names)
  local known, chosen, list = known_papers(), {}, {}
  for name in names:gmatch("%S+") do chosen[name] = true end
  for _, paper in ipairs(known) do
    if names:match("^%s*$") or chosen[paper.name] then list[#list + 1] = paper.name end
    chosen[paper.name] = nil
  end
  local unknown = next(chosen)
  if not unknown then return list end
  for i, paper in ipairs(known) do known[i] = paper.name end
  io.stderr:write(("taut: there is no paper '%s'; there are %s\n"):format(unknown, table.concat(known, ", ")))
end

-- What has to be computed for an item: in the first round parts and items without parts, in the last what needs parts.
local function plan(paper, item, ground, options, first, last)
  local key, path = host.hash(ground .. item.id .. item.text), result_path(options, paper, item)
  item.result = not options.again and stored(path, key) or nil
  if item.result then return end
  local job = { name = paper.name .. "." .. item.id, item = item, key = key, path = path, parts = {} }
  for _, part in ipairs(item.parts and item.parts(options.brief) or {}) do
    local p = { name = job.name .. "." .. part, item = item, part = part, key = key, path = path:gsub("%.json$", "." .. part .. ".json") }
    job.parts[#job.parts + 1] = p
    if options.again or not stored(p.path, key) then first[#first + 1] = p end
  end
  local list = item.parts and last or first
  list[#list + 1] = job
end

return function(options)
  local names = choose_papers(options.papers)
  if not names then return 2 end
  if #names == 0 then
    io.stderr:write(("taut: there is no experiment in %s/reproduce\n"):format(host.root))
    return 1
  end
  host.folder(options.output .. "/results")
  local from, ground, papers, first, last = host.clock(), foundation(), {}, {}, {}
  for i, name in ipairs(names) do
    local paper = load_paper(name)
    papers[i], paper.chosen = paper, {}
    for _, item in ipairs(paper.items) do
      if not options.brief or item.short then
        paper.chosen[#paper.chosen + 1] = item
        plan(paper, item, ground, options, first, last)
      end
    end
  end
  compute_all(first, options)
  compute_all(last, options)
  for _, jobs in ipairs { first, last } do
    for _, job in ipairs(jobs) do
      if not job.part then
        local text = data.read(job.path)
        local result = text and data.decode(text)
        job.item.result = result and result.key == job.key and result or { values = {}, claims = {}, blocks = {}, error = "its process ended early" }
      end
    end
  end

  local good, bad, timings = 0, 0, 0
  io.write(("%s  %s  %s  %s  %s\n"):format(clip("paper", 17), clip("item", 44), clip("published", 14), clip("computed", 18), "verdict"))
  for _, paper in ipairs(papers) do
    local rows = judge_paper(paper, options)
    for _, row in ipairs(rows) do
      if row.timing then timings = timings + 1
      elseif row.ok then good = good + 1
      else bad = bad + 1 end
    end
    print_rows(paper, rows)
    paper.rows = rows
    data.write(("%s/%s.html"):format(options.output, paper.name), page.write(paper, options))
  end
  io.write(("\n%d in their bands, %d not"):format(good, bad), timings > 0 and ("; %d %s, not judged"):format(timings, timings == 1 and "timing" or "timings") or "")
  io.write(("; %.0f s. Pages: "):format(host.clock() - from))
  for i, paper in ipairs(papers) do io.write(i > 1 and ", " or "", options.output, "/", paper.name, ".html") end
  io.write("\n")
  return bad == 0 and 0 or 1
end
