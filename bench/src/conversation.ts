import type { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { type Load, type Span, WrongAnswer } from './asked.ts'
import type { Answer, Talk } from './row.ts'

/** Asking with autocannon, which lets every answer be looked at, and the next request follow from it. */

/** How long the last answers may take once nothing more is asked. */
const PATIENCE_MS = 20_000
/** Longer than any run: when one is over is for us to say. */
const LONGEST_SECONDS = 600

/** What the connections of a run have in common. */
interface Run {
  url: string
  running: boolean
  clockRuns: boolean
  meanwhileAnswers: number
  allAnswers: number
  times: number[]
  problem: string | undefined
  /** The last answer that was as it must be. */
  body: string
  /** End it at once. */
  cutOffs: (() => void)[]
}

/**
 * Asks on all connections, each its next as soon as it has its answer. At the end nothing is cut off: whoever has asked
 * waits for the answer, so that a token that was used up is followed by the one that came for it.
 */
export async function converse(load: Load): Promise<Run & { seconds: number }> {
  const run: Run = {
    ...{ url: load.url, running: true, clockRuns: false, times: [], problem: undefined, body: '' },
    ...{ meanwhileAnswers: 0, allAnswers: 0, cutOffs: [] },
  }
  const conversations = [
    connect(run, load.talks, true),
    ...(load.meanwhile ? [connect(run, load.meanwhile, false)] : []),
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
  return { ...run, seconds }
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
  for (const cutOff of run.cutOffs) cutOff()
}

/** What autocannon tells of each of its connections, and lets be changed. Its types leave most of it out. */
interface Client extends EventEmitter {
  reqsMade: number
  /** After so many requests it is done. */
  responseMax: number | undefined
  setRequests(requests: autocannon.Request[]): void
}

/** One connection for each talk, each asking its next as soon as it has its answer, until the run is over. */
function connect(run: Run, talks: Talk[], counts: boolean): Promise<void> {
  return new Promise((resolve) => {
    let left = talks.length
    const waiting = [...talks]
    const instance = autocannon(
      {
        ...{
          url: run.url,
          connections: talks.length,
          duration: LONGEST_SECONDS,
          timeout: PATIENCE_MS / 1000,
        },
        setupClient(given) {
          const client = given as unknown as Client
          const talk = waiting.shift()
          if (!talk) return
          client.setRequests([toRequest(run, talk)])
          let unanswered = 0
          client.on('request', () => {
            unanswered++
            // autocannon connects again without a word.
            if (unanswered > 1) noteProblem(run, 'the connection was closed instead of an answer')
          })
          client.on('response', (_status: number, _bytes: number, ms: number) => {
            unanswered--
            if (run.clockRuns && counts) run.times.push(ms)
            else if (run.clockRuns) run.meanwhileAnswers++
            run.allAnswers++
            // What it has asked for by now is answered yet, so that nothing is cut off.
            if (!run.running) client.responseMax = client.reqsMade
          })
          client.on('connError', (error: Error) => noteProblem(run, error.message))
          client.on('timeout', () => noteProblem(run, `no answer for ${PATIENCE_MS / 1000} s`))
          client.on('done', () => {
            left--
            if (left === 0) instance.stop()
          })
        },
      },
      () => resolve(),
    )
    run.cutOffs.push(() => instance.stop())
  })
}

/** The bytes of a request that stays the same are made once. */
function toRequest(run: Run, talk: Talk): autocannon.Request {
  const onResponse = (status: number, body: string) => {
    const problem = judge(talk, { status, body })
    if (problem !== undefined) noteProblem(run, problem)
    run.body = body
  }
  const { request } = talk
  if (typeof request !== 'function') return { ...request, onResponse }
  return { ...request(), setupRequest: (before) => ({ ...before, ...request() }), onResponse }
}

/** What is wrong with an answer, with the answer itself. One that cannot even be read is wrong too. */
export function judge(talk: Talk, answer: Answer): string | undefined {
  let problem: string | undefined
  try {
    problem = talk.check(answer)
  } catch (error) {
    problem = String(error)
  }
  return problem && `${problem}: ${answer.status} ${answer.body.slice(0, 300)}`
}
