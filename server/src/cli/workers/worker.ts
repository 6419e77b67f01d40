import cluster from 'node:cluster'
import { ALL_METRICS } from '../../http/metrics/metrics-text.ts'
import { openIpcChannel } from '../../lib/ipc-channel.ts'
import { FAILED, READY, STOP } from './messages.ts'
import type { WorkerMetrics } from './metrics.ts'

/** A worker process, from the view of the primary. */
export interface Worker {
  pid: number | undefined
  ready: Promise<void>
  ended: Promise<WorkerExit>
  /** Requests a clean stop. */
  stop(): void
  kill(): void
}

/** How a worker ended. */
export interface WorkerExit {
  code: number | null
  signal: string | null
  /** The error that the worker reported. */
  reason: string | undefined
  /** How long it served; 0 if it never became ready. */
  servedMs: number
}

/** Forks this process with the same arguments and environment. */
export function startWorker(metrics: WorkerMetrics): Worker {
  const child = cluster.fork()
  const channel = openIpcChannel(child)
  const removeMetrics = metrics.add(channel)
  let readyAt: number | undefined
  let reason: string | undefined
  channel.onRequest(ALL_METRICS, metrics.show)
  channel.onMessage(FAILED, (text) => {
    reason = text
  })
  const ready = new Promise<void>((resolve) => {
    channel.onMessage(READY, () => {
      readyAt = performance.now()
      resolve()
    })
  })
  const ended = new Promise<WorkerExit>((resolve) => {
    const end = (code: number | null, signal: string | null) => {
      removeMetrics()
      resolve({ code, signal, reason, servedMs: readyAt === undefined ? 0 : performance.now() - readyAt })
    }
    child.once('exit', end)
    // The process could not be started.
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
      // A starting worker may not listen for messages yet and has no requests to finish.
      if (readyAt === undefined) child.process.kill('SIGTERM')
      else void channel.send(STOP)
    },
    kill: () => void child.process.kill('SIGKILL'),
  }
}
