import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HttpRequest, HttpResponse, Mix } from './row.ts'
import { isRecorded, RESULT_MARK, toScript, type WrkWorkload } from './wrk-script.ts'

/** The load generator wrk, if it is installed. It needs less CPU time per request than the measured programs. */

export const hasWrk = canRun('wrk')

function canRun(program: string): boolean {
  try {
    // Prints the version. The exit code is not 0, because there is no URL.
    execFileSync(program, ['-v'], { stdio: 'ignore' })
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

interface WrkOptions {
  url: string
  workload: WrkWorkload
  connections: number
  /** Whole seconds only. */
  seconds: number
  onEnd(): void
}

interface WrkResult {
  requests: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Responses that failed the comparison, and broken connections. */
  failures: number
  /** The first response that failed. */
  firstFailure: string
  /** The recorded responses. Empty if the script compared them itself. */
  responses: HttpResponse[]
}

export async function runWrk({ url, workload, connections, seconds, onEnd }: WrkOptions): Promise<WrkResult> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-wrk-'))
  const [script, recording] = [join(folder, 'load.lua'), join(folder, 'responses')]
  try {
    writeFileSync(script, toScript(workload, recording))
    if ('mix' in workload) writeMix(folder, new URL(url).host, workload.mix)
    const options = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`]
    const { stdout } = await promisify(execFile)('wrk', [...options, '--script', script, url], {
      cwd: folder,
    })
    onEnd()
    const result = JSON.parse(stdout.slice(stdout.lastIndexOf(RESULT_MARK) + RESULT_MARK.length))
    const responses = !isRecorded(workload) ? [] : parseRecordedResponses(readFileSync(recording, 'utf8'))
    return { ...result, responses }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the files that the script reads. Each record ends with a record separator (U+001E), which no request contains. */
function writeMix(folder: string, host: string, { requests, sequence }: Mix): void {
  const write = (name: string, records: (string | number)[]) =>
    writeFileSync(join(folder, name), records.map((record) => `${record}\u001e`).join(''))
  write(
    'requests',
    requests.map(({ request }) => serialize(request, host)),
  )
  write(
    'expected-bodies',
    requests.map(({ expectedBody = '' }) => expectedBody),
  )
  write(
    'sequence',
    sequence.map((index) => index + 1),
  )
}

/** The bytes of an HTTP/1.1 request. */
function serialize({ method, path, headers = {}, body }: HttpRequest, host: string): string {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body ?? ''].join('\r\n')
}

/** Each response ends with a record separator (U+001E), which no body contains. */
const parseRecordedResponses = (text: string): HttpResponse[] =>
  text
    .split('\u001e\n')
    .slice(0, -1)
    .map((line) => ({ status: Number(line.slice(0, 3)), body: line.slice(4) }))
