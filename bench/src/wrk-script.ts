import type { Chain, Request } from './row.ts'

/** What wrk asks on all connections, and what it does with the answers. */
export type Asking =
  /** Every answer must be 200 and this. */
  | { request: Request; body: string }
  /** Answers differ, and are kept. */
  | { request: Request }
  /** As many as there are connections; each answer leads to the next request. They are kept as well. */
  | { chains: Chain[] }

/** What stands before what our script tells, behind what wrk itself does. */
export const MARK = '>>>'

/** The script, in the language of wrk, which writes what is kept to a file. */
export const toScript = (asking: Asking, kept: string): string => `
${'chains' in asking ? following(asking.chains) : repeating(asking.request)}

wrong = 0
example = ""
${'body' in asking ? comparing(asking.body) : keeping(kept)}

local asking
function setup(thread)
  asking = thread
end

local function escape(text)
  return (text:gsub('[^%w ]', function(char) return string.format('\\\\u%04x', char:byte()) end))
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '${MARK}{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"wrong":%d,"example":"%s"}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    asking:get("wrong") + broken, escape(asking:get("example"))
  ))
end
`

/** Every byte by its number, so that none can mean anything. */
const quote = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

/** The call that puts a request together. */
function format({ method, path, headers = {} }: Request, body: string): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)
  return `wrk.format(${quote(method)}, ${quote(path)}, { ${fields.join(', ')} }, ${body})`
}

const repeating = (request: Request): string => `
local asked
function init()
  asked = ${format(request, request.body === undefined ? 'nil' : quote(request.body))}
end

function request()
  return asked
end

local function follow() end`

/** Where the value stands in a request, while nobody knows it. */
const PLACE = 'the-value-of-the-chain'

/** Whoever has an answer shows next what any of the answers gave that nobody has shown yet. */
function following(chains: Chain[]): string {
  const [first] = chains
  if (!first) throw new Error('There is no chain to follow.')
  const request = first.toRequest(PLACE)
  const [before = '', behind = ''] = (request.body ?? '').split(PLACE)
  return `
local values = { ${chains.map((chain) => quote(chain.value())).join(', ')} }
local isTried = false
function request()
  local value = values[#values] or ""
  -- Before it begins, wrk tries once what this gives, and sends it to nobody.
  if isTried then values[#values] = nil end
  isTried = true
  return ${format(request, `${quote(before)} .. value .. ${quote(behind)}`)}
end

local function follow(body)
  values[#values + 1] = body:match('"${first.field}":"([^"]+)"')
end`
}

const comparing = (body: string): string => `
local expected = ${quote(body)}
function response(status, _, body)
  if status == 200 and body == expected then return end
  wrong = wrong + 1
  if wrong == 1 then example = status .. " " .. body:sub(1, 300) end
end`

/** Nobody tells it when it is over, so each answer is written at once. */
const keeping = (file: string): string => `
local kept = io.open(${quote(file)}, "wb")
kept:setvbuf("line")
function response(status, _, body)
  kept:write(status, " ", body, "\\030\\n")
  follow(body)
end`
