import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const LATCHKEY = fileURLToPath(new URL('../../bin/latchkey.js', import.meta.url))

export interface Program {
  child: ChildProcess
  pid: number
  /** The output of both streams so far. */
  output(): string
  /** Waits until the output contains this text. Throws if the program exits first. */
  prints(text: string, timeoutMs?: number): Promise<void>
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export interface RunOptions {
  env?: Record<string, string>
  /** Run as this user; needs root. */
  uid?: number
  input?: string
  /** A command that runs the program, such as `taskset`. */
  wrap?: string[]
}

/** Runs the real command line program without the environment of the tests. */
export function run(args: string[], { env = {}, uid, input, wrap = [] }: RunOptions = {}): Program {
  const [command = '', ...rest] = [...wrap, process.execPath, LATCHKEY, ...args]
  const child = spawn(command, rest, {
    // There is no proxy to wait for.
    env: { PATH: process.env.PATH, DRAIN_DELAY_MS: '0', ...env },
    ...(uid !== undefined && { uid, gid: uid }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let text = ''
  const listen = (chunk: Buffer) => {
    text += chunk
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  child.stdin.end(input ?? '')
  let ended = false
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      ended = true
      resolve({ code, signal })
    })
  })
  return {
    child,
    pid: child.pid ?? -1,
    exited,
    output: () => text,
    async prints(expected, timeoutMs = 120_000) {
      const deadline = Date.now() + timeoutMs
      while (!text.includes(expected)) {
        if (ended || Date.now() > deadline) throw new Error(`"${expected}" was never printed, but:\n${text}`)
        await sleep(10)
      }
    },
  }
}

/** Runs a command to its end. */
export async function runToEnd(
  args: string[],
  options: RunOptions = {},
): Promise<{ code: number | null; output: string }> {
  const program = run(args, options)
  const { code } = await program.exited
  return { code, output: program.output() }
}

/** A new folder that is removed after the tests. PostgreSQL's user can access it if the tests run as root. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(inject('scratch'), 't-'))
  chmodSync(folder, 0o711)
  return folder
}

/**
 * Each process takes ports from its own range, below the ephemeral ports of the system. It listens on the first port of
 * the range as long as it runs, so that no other process of this or another run uses the range.
 */
const FIRST_PORT = 20_000
const RANGE = 50
const RANGES = 250
let nextPort = 0

export async function freePort(): Promise<string> {
  while (nextPort % RANGE === 0) {
    const first = FIRST_PORT + RANGE * randomInt(RANGES)
    if (await listenAt(first)) nextPort = first + 1
  }
  const port = nextPort++
  const server = await listenAt(port)
  if (!server) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** A server that listens on the port; undefined if the port is in use. */
async function listenAt(port: number): Promise<Server | undefined> {
  const server = createServer().unref()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

export const READY = 'Latchkey is ready at'
