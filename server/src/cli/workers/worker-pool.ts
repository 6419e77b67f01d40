import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../errors.ts'
import { createWorkerMetrics } from './metrics.ts'
import { startWorker, type Worker, type WorkerExit } from './worker.ts'

/** Several workers. A worker that ends unexpectedly is replaced. */
export interface WorkerPool {
  /** Resolves when all workers serve. */
  ready: Promise<unknown>
  /** Rejects when workers end repeatedly. Does not settle otherwise until the pool is stopped. */
  work: Promise<unknown>
  stop(): Promise<void>
}

/** A worker that served for this long started successfully. */
const STABLE_MS = 30_000
/** The pool fails when every slot has lost this many workers in a row soon after their start. */
const MAX_LOST = 5
const MIN_RESTART_DELAY_MS = 200
const MAX_RESTART_DELAY_MS = 10_000

/** A worker and its replacements. */
interface Slot {
  worker: Worker
  /** Workers in a row that ended soon after their start. */
  lost: number
}

export function startWorkerPool(size: number, log: Logger): WorkerPool {
  const metrics = createWorkerMetrics()
  const stopping = new AbortController()
  const slots = Array.from({ length: size }, (): Slot => ({ worker: startWorker(metrics), lost: 0 }))
  const ready = Promise.all(slots.map(({ worker }) => worker.ready))
  let isReady = false
  void ready.then(() => {
    isReady = true
  })
  // No worker may outlive the primary.
  const killWorkers = () => slots.forEach(({ worker }) => void worker.kill())
  process.on('exit', killWorkers)

  const supervise = async (slot: Slot): Promise<void> => {
    for (;;) {
      const { pid } = slot.worker
      void slot.worker.ready.then(() => log.info({ pid }, 'worker ready'))
      const end = await slot.worker.ended
      if (stopping.signal.aborted) return isReady ? checkStop(end, { pid, log }) : undefined
      if (!isReady) throw new OperatorError(end.reason ?? `A worker ended during its start (${describe(end)}).`)
      slot.lost = end.servedMs < STABLE_MS ? slot.lost + 1 : 0
      if (slots.every(({ lost }) => lost >= MAX_LOST)) throw toPoolError(end)
      const pauseMs = slot.lost === 0 ? 0 : Math.min(MIN_RESTART_DELAY_MS * 2 ** (slot.lost - 1), MAX_RESTART_DELAY_MS)
      const { code, signal, reason } = end
      log.error({ pid, code, signal, reason, pauseMs }, 'worker ended unexpectedly and is replaced')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      slot.worker = startWorker(metrics)
    }
  }

  const work = Promise.all(slots.map(supervise))
  return {
    ready,
    work,
    async stop() {
      stopping.abort()
      for (const { worker } of slots) worker.stop()
      await Promise.all(slots.map(({ worker }) => worker.ended))
      process.off('exit', killWorkers)
    },
  }
}

/** A worker that failed to stop makes the whole stop fail. */
function checkStop({ code, reason }: WorkerExit, { pid, log }: { pid: number | undefined; log: Logger }): void {
  if (code === 0 || code === null) return
  log.error({ pid, code, reason }, 'worker did not stop cleanly')
  process.exitCode = 1
}

const describe = ({ code, signal }: WorkerExit): string => (signal === null ? `exit code ${code}` : `signal ${signal}`)

const toPoolError = (end: WorkerExit) =>
  new OperatorError(
    `The workers repeatedly end soon after their start, the last one with ${describe(end)}. ` +
      (end.reason ?? 'What was printed before may say why.'),
  )
