import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Request } from './row.ts'

/** The load generator wrk, where it is installed. It takes less time for a request than what is asked takes for it. */

export const hasWrk = canRun('wrk')

function canRun(program: string): boolean {
  try {
    // It says its version and, because it was not told what to ask, that something is wrong.
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

interface Wish {
  url: string
  request: Request
  /** What every answer must be, with 200. */
  body: string
  connections: number
  /** It knows whole ones only. */
  seconds: number
}

export interface Told {
  requests: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers that were not what they must be, and connections that broke. */
  wrong: number
  /** The first of those answers. */
  example: string
}

/** Asks the same on all connections and looks at every answer. */
export async function askWithWrk(wish: Wish): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-wrk-'))
  try {
    const script = join(folder, 'ask.lua')
    writeFileSync(script, toScript(wish))
    const { url, connections, seconds } = wish
    const options = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`]
    const { stdout } = await promisify(execFile)('wrk', [...options, '--script', script, url])
    return JSON.parse(stdout.slice(stdout.lastIndexOf(MARK) + MARK.length))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What stands before what our script tells, behind what wrk itself does. */
const MARK = '>>>'

/** Every byte by its number, so that none can mean anything. */
const quote = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

function toScript({ request: { method, path, headers = {}, body: sent }, body }: Wish): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)
  return `
local asked
function init()
  asked = wrk.format(${quote(method)}, ${quote(path)}, { ${fields.join(', ')} }, ${sent === undefined ? 'nil' : quote(sent)})
end

local expected = ${quote(body)}
wrong = 0
example = ""

function request()
  return asked
end

function response(status, _, body)
  if status == 200 and body == expected then return end
  wrong = wrong + 1
  if wrong == 1 then example = status .. " " .. body:sub(1, 300) end
end

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
}
