import cluster from 'node:cluster'
import { ALL_FIGURES } from '../../http/metrics-of-all.ts'
import { converse } from '../../lib/conversation.ts'
import type { Ledger } from './ledger.ts'
import { FAILED, READY, STOP } from './messages.ts'

/** A process that serves, seen from the first one. */
export interface Worker {
  pid: number | undefined
  ready: Promise<void>
  ended: Promise<End>
  /** Asks for an orderly end. */
  stop(): void
  kill(): void
}

/** How a worker ended. */
export interface End {
  code: number | null
  signal: string | null
  /** What it said of it. */
  reason: string | undefined
  /** How long it had served; 0 for one that never did. */
  servedMs: number
}

/** Starts a process like this one, with the same arguments and environment. */
export function startWorker(ledger: Ledger): Worker {
  const child = cluster.fork()
  const talk = converse(child)
  const countOut = ledger.add(talk)
  let readyAt: number | undefined
  let reason: string | undefined
  talk.answer(ALL_FIGURES, ledger.tell)
  talk.hear(FAILED, (text) => {
    reason = text
  })
  const ready = new Promise<void>((resolve) => {
    talk.hear(READY, () => {
      readyAt = performance.now()
      resolve()
    })
  })
  const ended = new Promise<End>((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      countOut()
      resolve({ code, signal, reason, servedMs: readyAt === undefined ? 0 : performance.now() - readyAt })
    }
    child.once('exit', end)
    // It could not even be started.
    child.on('error', (error) => {
      reason ??= error.message
      if (child.process.pid === undefined) end(null, null)
    })
  })
  return {
    pid: child.process.pid,
    ready,
    ended,
    stop() {
      // One that is still starting may not listen yet, and has nobody to see off.
      if (readyAt === undefined) child.process.kill('SIGTERM')
      else void talk.tell(STOP)
    },
    kill: () => void child.process.kill('SIGKILL'),
  }
}
