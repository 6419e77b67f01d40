import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Answer, Request } from './row.ts'

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
  /** What every answer must be, with 200. Undefined: they differ, and are kept. */
  body: string | undefined
  connections: number
  /** It knows whole ones only. */
  seconds: number
  onEnd(): void
}

interface Told {
  requests: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers that were not what they must be, and connections that broke. */
  wrong: number
  /** The first of those answers. */
  example: string
  /** Those that were kept. */
  answers: Answer[]
}

/** Asks the same on all connections. */
export async function askWithWrk(wish: Wish): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-wrk-'))
  const [script, kept] = [join(folder, 'ask.lua'), join(folder, 'answers')]
  try {
    writeFileSync(script, toScript(wish, kept))
    const { url, connections, seconds } = wish
    const options = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`]
    const { stdout } = await promisify(execFile)('wrk', [...options, '--script', script, url])
    wish.onEnd()
    const told = JSON.parse(stdout.slice(stdout.lastIndexOf(MARK) + MARK.length))
    return { ...told, answers: wish.body === undefined ? readKept(readFileSync(kept, 'utf8')) : [] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Behind each answer that is kept stands a sign that is in none. */
const readKept = (text: string): Answer[] =>
  text
    .split('\u001e\n')
    .slice(0, -1)
    .map((line) => ({ status: Number(line.slice(0, 3)), body: line.slice(4) }))

/** What stands before what our script tells, behind what wrk itself does. */
const MARK = '>>>'

/** Every byte by its number, so that none can mean anything. */
const quote = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`

function toScript({ request: { method, path, headers = {}, body: sent }, body }: Wish, kept: string): string {
  const fields = Object.entries(headers).map(([name, value]) => `[${quote(name)}] = ${quote(value)}`)
  const asked = [
    quote(method),
    quote(path),
    `{ ${fields.join(', ')} }`,
    sent === undefined ? 'nil' : quote(sent),
  ]
  return `
local asked
function init()
  asked = wrk.format(${asked.join(', ')})
end

function request()
  return asked
end

wrong = 0
example = ""
${body === undefined ? keeping(kept) : comparing(body)}

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
end`
