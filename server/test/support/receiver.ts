import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import type { EventBody } from '../../src/audit/event-body.ts'
import { freePort, tempFolder } from './program.ts'

const SCRIPT = fileURLToPath(new URL('./receiver.mjs', import.meta.url))

/** How a receiver responds. */
export interface ReceiverBehavior {
  status?: number
  delayMs?: number
  /** Reads the request and never responds. */
  hangs?: boolean
  /** Reads the request and closes the connection. */
  hangsUp?: boolean
  answerHeaders?: Record<string, string>
  /** The statuses for the first request of each event, used in turn. */
  failOnce?: number[]
}

export interface Received {
  method: string
  url: string
  headers: Record<string, string>
  body: string
  answered: number | 'nothing'
  /** The number of open requests at that time, including this one. */
  open: number
}

/** A webhook receiver in a separate process. */
export interface Receiver {
  url: string
  setBehavior(mood: ReceiverBehavior): void
  /** All requests in order. */
  received(): Received[]
  /** The accepted events in order, including duplicates. */
  accepted(): EventBody[]
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const folder = tempFolder()
  const [logFile, moodFile] = [join(folder, 'received.jsonl'), join(folder, 'mood.json')]
  const port = await freePort()
  let child: ChildProcess | undefined
  // Written atomically, because the receiver may read it at any time.
  const setBehavior = (mood: ReceiverBehavior) => {
    writeFileSync(`${moodFile}.new`, JSON.stringify(mood))
    renameSync(`${moodFile}.new`, moodFile)
  }
  const kill = async () => {
    const ending = child
    child = undefined
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.kill('SIGKILL')
    await ended
  }
  const restart = async () => {
    await kill()
    child = spawn(process.execPath, [SCRIPT, port, logFile, moodFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve, reject) => {
      child?.stdout?.once('data', resolve)
      child?.once('exit', (code) => reject(new Error(`the receiver ended with ${code}`)))
    })
  }
  const received = (): Received[] =>
    existsSync(logFile)
      ? readFileSync(logFile, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []
  setBehavior({})
  await restart()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    setBehavior,
    received,
    kill,
    restart,
    close: kill,
    accepted: () =>
      received()
        .filter(({ answered }) => typeof answered === 'number' && answered < 300)
        .map(({ body }) => JSON.parse(body)),
  }
}

/** Verifies the signature with the Standard Webhooks library, or throws. */
export const verify = (secret: string, { body, headers }: Received): EventBody =>
  new Webhook(secret).verify(body, headers) as EventBody
