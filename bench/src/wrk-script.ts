import type { Chain, HttpRequest, Mix } from './row.ts'

/** The requests that wrk sends on all connections, and how it treats the responses. */
export type WrkWorkload =
  /** Every response must have status 200 and this body. */
  | { request: HttpRequest; expectedBody: string }
  /** Responses differ and are recorded. */
  | { request: HttpRequest }
  /** If any request of the mix has no expected body, all responses are recorded. Otherwise each is compared. */
  | { mix: Mix }
  /** One chain per connection. They differ only in their values. Responses are recorded. */
  | { chains: Chain[] }

/** Whether the responses are recorded, to be checked after the run. Otherwise the script compares them. */
export const isRecorded = (workload: WrkWorkload): boolean =>
  'mix' in workload
    ? workload.mix.requests.some(({ expectedBody }) => expectedBody === undefined)
    : !('expectedBody' in workload)

/** Precedes the JSON result of the script in the output of wrk. */
export const RESULT_MARK = '>>>'

/** Ends each record of a file. Lua, decimal: U+001E. */
const SEPARATOR_LUA = '\\030'

/** The Lua script for wrk. It records responses in the file `recording`. */
export const toScript = (workload: WrkWorkload, recording: string): string => `
${requestLua(workload)}

-- Global, because \`thread:get\` reads globals only. There is one thread.
failures = 0
firstFailure = ""
${responseLua(workload, recording)}

local loadThread
function setup(thread)
  loadThread = thread
end

local function escape(text)
  return (text:gsub('[^%w ]', function(char) return string.format('\\\\u%04x', char:byte()) end))
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '${RESULT_MARK}{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"failures":%d,"firstFailure":"%s"}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    loadThread:get("failures") + broken, escape(loadThread:get("firstFailure"))
  ))
end
`

/** Defines `request`, and `onRecorded`, which is called with the body of each response after it is recorded. */
function requestLua(workload: WrkWorkload): string {
  if ('mix' in workload) return MIX_LUA
  return 'chains' in workload ? chainsLua(workload.chains) : repeatLua(workload.request)
}

function responseLua(workload: WrkWorkload, recording: string): string {
  if (isRecorded(workload)) return recordLua(recording)
  return 'expectedBody' in workload ? compareLua(workload.expectedBody) : COMPARE_MIX_LUA
}

/** A Lua string literal with every byte as a decimal escape. */
const quote = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

/** The Lua call that builds a request. */
function formatCallLua({ method, path, headers = {} }: HttpRequest, body: string): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)
  return `wrk.format(${quote(method)}, ${quote(path)}, { ${fields.join(', ')} }, ${body})`
}

const repeatLua = (request: HttpRequest): string => `
local message
function init()
  message = ${formatCallLua(request, request.body === undefined ? 'nil' : quote(request.body))}
end

function request()
  return message
end

local function onRecorded() end`

const PLACEHOLDER = 'the-value-of-the-chain'

/**
 * wrk does not tell which connection a request is for, so the chains put their values into one stack: a request takes
 * one, a response adds one. The request of the first chain is the template for all.
 */
function chainsLua(chains: Chain[]): string {
  const [first] = chains
  if (!first) throw new Error('There is no chain to follow.')
  const request = first.toRequest(PLACEHOLDER)
  const [before = '', after = ''] = (request.body ?? '').split(PLACEHOLDER)
  return `
local values = { ${chains.map((chain) => quote(chain.value())).join(', ')} }
local isCalledBefore = false
function request()
  local value = values[#values] or ""
  -- wrk calls this once before the run and does not send the result.
  if isCalledBefore then values[#values] = nil end
  isCalledBefore = true
  return ${formatCallLua(request, `${quote(before)} .. value .. ${quote(after)}`)}
end

local function onRecorded(body)
  values[#values + 1] = body:match('"${first.field}":"([^"]+)"')
end`
}

const compareLua = (expectedBody: string): string => `
local expectedBody = ${quote(expectedBody)}
function response(status, _, body)
  if status == 200 and body == expectedBody then return end
  failures = failures + 1
  if failures == 1 then firstFailure = status .. " " .. body:sub(1, 300) end
end`

/**
 * Sends the requests in the files beside the script, and counts the outstanding responses by body. wrk does not tell
 * which request a response belongs to.
 */
const MIX_LUA = `
local function read(file)
  local records = {}
  local text = io.open(file, "rb"):read("*a")
  for record in text:gmatch("([^${SEPARATOR_LUA}]*)${SEPARATOR_LUA}") do records[#records + 1] = record end
  return records
end

local requests, expectedBodies, sequence
local outstanding = {}
function init()
  requests, expectedBodies, sequence = read("requests"), read("expected-bodies"), read("sequence")
  for index, body in ipairs(expectedBodies) do outstanding[body] = 0 end
  for position, index in ipairs(sequence) do sequence[position] = tonumber(index) end
end

local position = 0
function request()
  position = position + 1
  -- wrk calls this once before the run and does not send the result.
  if position == 1 then return requests[1] end
  local index = sequence[position % #sequence + 1]
  local expectedBody = expectedBodies[index]
  outstanding[expectedBody] = outstanding[expectedBody] + 1
  return requests[index]
end

local function onRecorded() end`

const COMPARE_MIX_LUA = `
function response(status, _, body)
  local count = outstanding[body] or 0
  outstanding[body] = count - 1
  if status == 200 and count > 0 then return end
  failures = failures + 1
  if failures == 1 then firstFailure = status .. " " .. body:sub(1, 300) end
end`

/** wrk calls `done` in another Lua state, which cannot flush this file. So the buffer is flushed after each line. */
const recordLua = (file: string): string => `
local recording = io.open(${quote(file)}, "wb")
recording:setvbuf("line")
function response(status, _, body)
  recording:write(status, " ", body, "${SEPARATOR_LUA}\\n")
  onRecorded(body)
end`
