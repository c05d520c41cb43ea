-- A page per paper: one file, no scripts, nothing fetched.
local plot, data, judge = require "plot", require "data", require "judge"
local escape = plot.escape
local page = {}

local function power(s)                                           -- 3.96e-6 as people write it
  return (s:gsub("^([-+]?[%d%.]+)e([-+]?)0*(%d+)$", function(m, sign, e)
    return ("%s·10<sup>%s%s</sup>"):format(m:gsub("-", "−"), sign == "-" and "−" or "", e)
  end))
end
local function shown(s) return power(escape(s or "")) end

-- How well it agrees, in words and as a bar of filled digits.
local function agreement(row)
  if row.timing then return '<span class="quiet">timing</span>' end
  if not row.ok then return '<span class="bad">' .. escape(row.verdict) .. "</span>" end
  local parts = {}
  if row.published_of then parts[#parts + 1] = ("%d of %d printed"):format(row.published_digits, row.published_of) end
  if row.reference_of then parts[#parts + 1] = ("%d of %d settled"):format(row.reference_digits, row.reference_of) end
  if #parts == 0 then parts[1] = row.band or "" end
  return '<span class="good">' .. escape(table.concat(parts, ", ")) .. "</span>"
end

local function cell(item, c)
  if type(c) == "table" then return "<td>" .. (c.html or escape(c.text)) .. "</td>" end
  local row = item.rows[c]
  if not row then return '<td class="quiet">–</td>' end
  local out = { '<td class="number">' }
  if row.published then out[#out + 1] = ('<span class="published" title="published">%s</span>'):format(shown(row.published)) end
  out[#out + 1] = ('<b title="%s">%s</b>'):format(escape("computed: " .. row.computed), shown(row.shown))
  if row.published or row.reference or not row.ok then
    out[#out + 1] = ('<small title="%s">%s</small>'):format(escape((row.reference and "settled: " .. row.reference .. ". " or "") ..
                       "Band: " .. (row.band or "none") .. (row.why and ", " .. row.why or "")), agreement(row))
  end
  return table.concat(out) .. "</td>"
end

local writers = {}

function writers.remark(item, b) return "<p>" .. b.text .. "</p>" end

function writers.table(item, b)
  local out = { '<div class="scroll"><table class="figures"><caption>', escape(b.title or ""), "</caption><thead><tr>" }
  for _, head in ipairs(b.columns) do out[#out + 1] = "<th>" .. escape(head) .. "</th>" end
  out[#out + 1] = "</tr></thead><tbody>"
  for _, row in ipairs(b.rows) do
    out[#out + 1] = "<tr><th>" .. escape(row[1]) .. "</th>"
    for i = 2, #row do out[#out + 1] = cell(item, row[i]) end
    out[#out + 1] = "</tr>"
  end
  out[#out + 1] = "</tbody></table></div>"
  return table.concat(out)
end

function writers.figure(item, b)
  local out = { '<figure><div class="panels', #b.panels == 1 and " one" or #b.panels <= 4 and " few" or "", '">' }
  local common = #b.panels > 1 and plot.legend(b.panels[1])        -- one legend for all panels, where it is the same
  for _, p in ipairs(b.panels) do if plot.legend(p) ~= common then common = false end end
  for _, p in ipairs(b.panels) do
    out[#out + 1] = '<div class="panel">' .. (p.title and "<h4>" .. escape(p.title) .. "</h4>" or "") .. plot.panel(p) .. (common and "" or plot.legend(p)) .. "</div>"
  end
  out[#out + 1] = "</div>" .. (common or "") .. "<figcaption><b>" .. escape(b.title or "") .. "</b> " .. (b.note or "") .. "</figcaption></figure>"
  return table.concat(out)
end

local classes = { holds = "good", ["does not hold"] = "bad", ["holds with a qualification"] = "fair" }
function writers.claim(item, b)
  local c = item.result.claims[b.claim]
  return ('<div class="claim"><span class="verdict %s">%s</span><div><p>%s%s</p><p class="measured">%s</p>%s</div></div>'):format(
    classes[c.verdict], c.verdict, escape(c.text), c.where and ' <span class="quiet">' .. (c.where:match("^%d") and "Section " or "") .. escape(c.where) .. "</span>" or "", escape(c.measured),
    c.ok and "" or '<p class="bad">Not what this was found to be before.</p>')
end

-- Values that no table shows.
local function loose_values(item)
  local used = {}
  for _, b in ipairs(item.result.blocks) do
    if b.kind == "table" then for _, row in ipairs(b.rows) do for i = 2, #row do used[row[i]] = true end end end
  end
  local out = {}
  for _, value in ipairs(item.result.values) do
    local row = item.rows[value.id]
    if not used[value.id] then
      out[#out + 1] = ("<tr><th>%s</th><td class='number'>%s</td><td class='number'>%s</td><td class='number'><b>%s</b></td><td>%s</td><td>%s</td></tr>"):format(
        escape(value.label or value.id), shown(row.published or "–"), shown(row.reference or "–"), shown(row.shown), agreement(row),
        escape((row.band or "") .. (row.why and ": " .. row.why or "")))
    end
  end
  if #out == 0 then return "" end
  return '<div class="scroll"><table class="list"><thead><tr><th>figure</th><th>published</th><th>settled</th><th>computed</th><th>agreement, digits</th><th>band</th></tr></thead><tbody>' ..
    table.concat(out) .. "</tbody></table></div>"
end

local function write_item(item)
  local out = { ('<section id="%s"><h2>%s</h2>'):format(item.id, escape(item.title)) }
  if item.result.error then out[#out + 1] = '<pre class="bad">' .. escape(item.result.error) .. "</pre>" end
  local row = false                                               -- figures of one panel that follow each other stand side by side
  for _, b in ipairs(item.result.blocks) do
    local single = b.kind == "figure" and #b.panels == 1
    if single ~= row then out[#out + 1] = single and '<div class="row">' or "</div>" end
    row = single
    out[#out + 1] = writers[b.kind](item, b)
  end
  if row then out[#out + 1] = "</div>" end
  out[#out + 1] = loose_values(item)
  out[#out + 1] = ('<p class="quiet end">computed in %.3g s of processor time</p></section>'):format(item.result.work or 0)
  return table.concat(out, "\n")
end

local function misprints(paper)
  if not paper.misprints or #paper.misprints == 0 then return "" end
  local out = { '<section id="misprints"><h2>Misprints</h2><dl>' }
  for _, m in ipairs(paper.misprints) do out[#out + 1] = ("<dt>%s</dt><dd>%s</dd>"):format(m[1], m[2]) end
  return table.concat(out, "\n") .. "</dl></section>"
end

local function summary(paper)
  local values, claims, off = 0, { holds = 0, ["does not hold"] = 0, ["holds with a qualification"] = 0 }, 0
  for _, row in ipairs(paper.rows) do
    if row.computed and not row.timing then values = values + 1 end
    if not row.ok then off = off + 1 end
  end
  for _, item in ipairs(paper.chosen) do for _, c in ipairs(item.result.claims) do claims[c.verdict] = claims[c.verdict] + 1 end end
  local total = claims.holds + claims["does not hold"] + claims["holds with a qualification"]
  return ('<ul class="summary"><li><b>%d</b> figures compared</li><li class="%s"><b>%d</b> outside their band</li>%s</ul>'):format(
    values, off > 0 and "bad" or "good", off,
    total > 0 and ('<li><b>%d</b> claims hold</li><li><b>%d</b> hold with a qualification</li><li><b>%d</b> do not hold</li>'):format(
      claims.holds, claims["holds with a qualification"], claims["does not hold"]) or "")
end

function page.write(paper, options)
  local out = { '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    "<title>" .. escape(paper.title) .. "</title><style>", data.read(host.root .. "/reproduce/lib/style.css"), "</style></head><body><main>",
    '<header><p class="quiet">Taut ' .. host.version .. " · reproduction" .. (options.brief and ", short form" or "") .. "</p><h1>" .. escape(paper.title) .. "</h1>",
    '<p class="citation">' .. paper.citation .. "</p>", paper.about and "<p>" .. paper.about .. "</p>" or "", summary(paper), "<nav>" }
  for _, item in ipairs(paper.chosen) do out[#out + 1] = ('<a href="#%s">%s</a>'):format(item.id, escape(item.short_title or item.title:match("^[^:]+"))) end
  if paper.misprints and #paper.misprints > 0 then out[#out + 1] = '<a href="#misprints">Misprints</a>' end
  out[#out + 1] = "</nav></header>"
  for _, item in ipairs(paper.chosen) do out[#out + 1] = write_item(item) end
  out[#out + 1] = misprints(paper)
  out[#out + 1] = '<footer class="quiet"><p>Published: as printed in the paper. Settled: computed by an independent program. Computed: by this run of Taut, from ' ..
    "the models and descriptions it is installed with, through its public interface. Agreement counts the digits that are equal after rounding. " ..
    "A value leaves its band when it is off by more than the band says; timings are shown and never judged.</p></footer></main></body></html>\n"
  return table.concat(out, "\n")
end

return page
