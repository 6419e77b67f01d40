import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Answer } from './row.ts'
import { type Asking, MARK, toScript } from './wrk-script.ts'

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
  asking: Asking
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

export async function askWithWrk(wish: Wish): Promise<Told> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-wrk-'))
  const [script, kept] = [join(folder, 'ask.lua'), join(folder, 'answers')]
  try {
    writeFileSync(script, toScript(wish.asking, kept))
    const { url, connections, seconds } = wish
    const options = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`]
    const { stdout } = await promisify(execFile)('wrk', [...options, '--script', script, url])
    wish.onEnd()
    const told = JSON.parse(stdout.slice(stdout.lastIndexOf(MARK) + MARK.length))
    return { ...told, answers: 'body' in wish.asking ? [] : readKept(readFileSync(kept, 'utf8')) }
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
