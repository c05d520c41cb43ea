-- What an experiment hands over: values, tables of them, figures, claims, remarks; in the order in which they come.
local record = {}
record.__index = record

function record.new(brief) return setmetatable({ brief = brief, values = {}, claims = {}, blocks = {} }, record) end

-- A computed number. id: its name in expected.lua. label: what is shown for it. It is not compared here: what it should be is
-- known to another process only.
function record:value(id, x, label, note)
  self.values[#self.values + 1] = { id = id, text = text(x), label = label, note = note }
  return x
end

local function block(self, kind, b)
  b.kind = kind
  self.blocks[#self.blocks + 1] = b
end

-- A remark: text, may hold <i>, <sub> and the like.
function record:remark(s) block(self, "remark", { text = s }) end

-- { title, columns = { heads }, rows = { { head, cell... } } }; a cell is the id of a value, or { text = "..." }.
function record:table(t) block(self, "table", t) end

-- { id, title, note, panels = { panel... } } or a single panel's fields. A panel: title, x and y = { label, log, min, max },
-- series = { { name, x, y, style = "line" | "points" | "both", dash } }.
function record:figure(f)
  local panels = f.panels or { { x = f.x, y = f.y, series = f.series } }
  for _, p in ipairs(panels) do
    for _, s in ipairs(p.series) do
      for i = 1, #s.x do s.x[i], s.y[i] = number(s.x[i]), number(s.y[i]) end
    end
  end
  block(self, "figure", { title = f.title, note = f.note, panels = panels, wide = f.wide })
end

-- { id, text, where, verdict, measured }; verdict: true, false or "qualified".
function record:claim(c)
  local verdicts = { [true] = "holds", [false] = "does not hold", qualified = "holds with a qualification" }
  c.verdict = assert(verdicts[c.verdict], "a claim needs a verdict")
  self.claims[#self.claims + 1] = c
  block(self, "claim", { claim = #self.claims })
end

function record:result() return { values = self.values, claims = self.claims, blocks = self.blocks } end

return record
