import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection, writeRequest } from './connection.ts'
import { quantile } from './numbers.ts'
import type { Answer, Talk } from './row.ts'

/** What is asked of a program, and for how long. */
export interface Load {
  url: string
  /** One for each connection. */
  talks: Talk[]
  /** Asked at the same time on connections of their own, and not counted. */
  meanwhile?: Talk[]
  /** Before the clock runs. */
  warm: Span
  /** While it runs. */
  span: Span
  /** When the clock begins to run, and when it ends. */
  onClock?(moment: 'begin' | 'end'): void
}

/** How long something goes on: for a while, and until so many answers are there, but not for ever. */
export interface Span {
  ms: number
  answers: number
  mostMs: number
}

export interface Measured {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers while the clock ran. */
  answers: number
  /** Answers to what was asked meanwhile. */
  meanwhilePerSecond: number
  /** With those before and after it. */
  allAnswers: number
}

/** An answer that was not what it must be: then there is nothing to measure. */
export class WrongAnswer extends Error {}

/** How long the last answers may take once nothing more is asked. */
const PATIENCE_MS = 20_000

/** What the connections of a run have in common. */
interface Run {
  url: URL
  running: boolean
  clockRuns: boolean
  meanwhileAnswers: number
  allAnswers: number
  times: number[]
  problem: string | undefined
}

/**
 * Asks on all connections, each its next as soon as it has its answer, and looks at every answer. At the end nothing is cut
 * off: whoever has asked waits for the answer, so that a token that was used up is followed by the one that came for it.
 */
export async function runLoad(load: Load): Promise<Measured> {
  const url = new URL(load.url)
  const run: Run = {
    ...{ url, running: true, clockRuns: false, times: [], problem: undefined },
    ...{ meanwhileAnswers: 0, allAnswers: 0 },
  }
  const conversations = [
    ...load.talks.map((talk) => converse(run, talk, true)),
    ...(load.meanwhile ?? []).map((talk) => converse(run, talk, false)),
  ]
  const ended = Promise.all(conversations)
  await Promise.race([pass(load.warm, () => run.allAnswers), ended])
  const begin = performance.now()
  run.clockRuns = true
  load.onClock?.('begin')
  await Promise.race([pass(load.span, () => run.times.length), ended])
  run.clockRuns = false
  const seconds = (performance.now() - begin) / 1000
  load.onClock?.('end')
  run.running = false
  await Promise.race([ended, sleep(PATIENCE_MS).then(() => noteProblem(run, 'no answer for 20 s'))])
  if (run.problem) throw new WrongAnswer(run.problem)
  if (run.times.length === 0) throw new WrongAnswer('no answer came while the clock ran')
  const { times, meanwhileAnswers, allAnswers } = run
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    meanwhilePerSecond: meanwhileAnswers / seconds,
    answers: times.length,
    allAnswers,
  }
}

const STEP_MS = 50

async function pass({ ms, answers, mostMs }: Span, count: () => number): Promise<void> {
  const begin = performance.now()
  await sleep(ms)
  while (count() < answers && performance.now() - begin < mostMs) await sleep(STEP_MS)
}

function noteProblem(run: Run, problem: string): void {
  run.problem ??= problem
  run.running = false
}

/** Asks on one connection until the run is over. Settles when the last answer is there. */
function converse(run: Run, talk: Talk, counts: boolean): Promise<void> {
  const { url } = run
  const { request } = talk
  const next =
    typeof request === 'function' ? () => writeRequest(url, request()) : always(writeRequest(url, request))
  return new Promise((resolve) => {
    let asked = 0
    let connection: Connection
    const ask = () => {
      if (!run.running) {
        connection.close()
        return resolve()
      }
      const bytes = next()
      asked = performance.now()
      connection.send(bytes)
    }
    const stop = (problem: string) => {
      noteProblem(run, problem)
      resolve()
    }
    openConnection(url, {
      onAnswer(answer) {
        if (run.clockRuns && counts) run.times.push(performance.now() - asked)
        else if (run.clockRuns) run.meanwhileAnswers++
        run.allAnswers++
        const problem = judge(talk, answer)
        if (problem !== undefined) noteProblem(run, problem)
        ask()
      },
      onBroken: stop,
    }).then(
      (opened) => {
        connection = opened
        ask()
      },
      (error: Error) => stop(error.message),
    )
  })
}

/** What is wrong with an answer, with the answer itself. One that cannot even be read is wrong too. */
function judge(talk: Talk, answer: Answer): string | undefined {
  let problem: string | undefined
  try {
    problem = talk.check(answer)
  } catch (error) {
    problem = String(error)
  }
  return problem && `${problem}: ${answer.status} ${answer.body.slice(0, 300)}`
}

const always =
  <T>(value: T) =>
  () =>
    value
