import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { OperatorError } from '../../errors.ts'
import { openLedger } from './ledger.ts'
import { type End, startWorker, type Worker } from './worker.ts'

/** Several workers, each of which is replaced when it ends unasked. */
export interface Crew {
  /** Settles when all of them serve. */
  ready: Promise<unknown>
  /** Fails when they cannot be kept at work; never settles otherwise before they are stopped. */
  work: Promise<unknown>
  stop(): Promise<void>
}

/** Who has served this long did not die of its start. */
const STEADY_MS = 30_000
/** When every place has lost this many in a row soon after their start, the next ones would fare no better. */
const MOST_LOST = 5
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000

/** Where one worker follows another. */
interface Place {
  worker: Worker
  /** Workers in a row that ended soon after their start. */
  lost: number
}

export function hireCrew(size: number, log: Logger): Crew {
  const ledger = openLedger()
  const stopping = new AbortController()
  const places = Array.from({ length: size }, (): Place => ({ worker: startWorker(ledger), lost: 0 }))
  const ready = Promise.all(places.map(({ worker }) => worker.ready))
  let complete = false
  void ready.then(() => {
    complete = true
  })
  // However this process ends, it leaves nobody behind.
  const endHard = () => places.forEach(({ worker }) => void worker.kill())
  process.on('exit', endHard)

  const keep = async (place: Place): Promise<void> => {
    for (;;) {
      const { pid } = place.worker
      void place.worker.ready.then(() => log.info({ pid }, 'a worker serves'))
      const end = await place.worker.ended
      if (stopping.signal.aborted) return complete ? judge(end, { pid, log }) : undefined
      if (!complete) throw new OperatorError(end.reason ?? `A worker ended as it started (${describe(end)}).`)
      place.lost = end.servedMs < STEADY_MS ? place.lost + 1 : 0
      if (places.every(({ lost }) => lost >= MOST_LOST)) throw giveUp(end)
      const pauseMs =
        place.lost === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (place.lost - 1), LONGEST_PAUSE_MS)
      const { code, signal, reason } = end
      log.error({ pid, code, signal, reason, pauseMs }, 'a worker ended unasked and is replaced')
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      place.worker = startWorker(ledger)
    }
  }

  const work = Promise.all(places.map(keep))
  return {
    ready,
    work,
    async stop() {
      stopping.abort()
      for (const { worker } of places) worker.stop()
      await Promise.all(places.map(({ worker }) => worker.ended))
      process.off('exit', endHard)
    },
  }
}

/** A stop that went wrong in a worker went wrong as a whole. */
function judge({ code, reason }: End, { pid, log }: { pid: number | undefined; log: Logger }): void {
  if (code === 0 || code === null) return
  log.error({ pid, code, reason }, 'a worker did not stop in order')
  process.exitCode = 1
}

const describe = ({ code, signal }: End): string =>
  signal === null ? `exit code ${code}` : `signal ${signal}`

const giveUp = (end: End) =>
  new OperatorError(
    `The workers end again and again soon after they start, the last one with ${describe(end)}. ` +
      (end.reason ?? 'What was printed before may say why.'),
  )
