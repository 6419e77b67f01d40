import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import type { EventBody } from '../../src/audit/event-body.ts'
import { freePort, tempFolder } from './program.ts'

const SCRIPT = fileURLToPath(new URL('./receiver.mjs', import.meta.url))

/** How a receiver answers. */
export interface Mood {
  status?: number
  delayMs?: number
  /** It reads and never answers. */
  hangs?: boolean
  /** It reads and closes the connection. */
  hangsUp?: boolean
  answerHeaders?: Record<string, string>
  /** What it answers when it sees an event for the first time, in turns. */
  failOnce?: number[]
}

export interface Received {
  method: string
  url: string
  headers: Record<string, string>
  body: string
  answered: number | 'nothing'
  /** How many requests were open at that moment, this one among them. */
  open: number
}

/** A receiver of webhooks that is a process of its own. */
export interface Receiver {
  url: string
  be(mood: Mood): void
  /** Everything that ever arrived, in its order. */
  received(): Received[]
  /** The events that it accepted, in their order, each as often as it did. */
  accepted(): EventBody[]
  /** Ends it without a warning. */
  kill(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const folder = tempFolder()
  const [logFile, moodFile] = [join(folder, 'received.jsonl'), join(folder, 'mood.json')]
  const port = await freePort()
  let child: ChildProcess | undefined
  // Swapped in whole: it may be read at any moment.
  const be = (mood: Mood) => {
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
  be({})
  await restart()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    ...{ be, received, kill, restart, close: kill },
    accepted: () =>
      received()
        .filter(({ answered }) => typeof answered === 'number' && answered < 300)
        .map(({ body }) => JSON.parse(body)),
  }
}

/** Throws unless the message is signed with the secret, as the library of Standard Webhooks judges. */
export const verify = (secret: string, { body, headers }: Received): EventBody =>
  new Webhook(secret).verify(body, headers) as EventBody
