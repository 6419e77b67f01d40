import { type Load, type Measured, type Span, WrongAnswer } from './asked.ts'
import { converse, judge } from './conversation.ts'
import { quantile } from './numbers.ts'
import type { Request, Talk } from './row.ts'
import { askWithWrk, hasWrk } from './wrk.ts'

/** Asks on all connections, each its next as soon as it has its answer, and looks at every answer. */
export async function runLoad(load: Load): Promise<Measured> {
  const alike = hasWrk ? findAlike(load) : undefined
  if (alike) return askAlike(load, alike)
  const { times, seconds, meanwhileAnswers, allAnswers } = await converse(load)
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

/** What is asked on all connections, where that is the same all the time. */
type Alike = Talk & { request: Request }

function findAlike({ talks, meanwhile }: Load): Alike | undefined {
  const [first] = talks
  const isAlike = first?.alike !== undefined && talks.every((talk) => talk === first) && !meanwhile
  return isAlike && typeof first.request !== 'function' ? { ...first, request: first.request } : undefined
}

const AT_ONCE: Span = { ms: 0, answers: 0, mostMs: 0 }

/** Until the clock runs, whoever can judge asks. From then on answers are compared with those, or judged afterwards. */
async function askAlike(load: Load, talk: Alike): Promise<Measured> {
  const before = await converse({ ...load, warm: AT_ONCE, span: load.warm, onClock: () => {} })
  load.onClock?.('begin')
  const told = await askWithWrk({
    ...{ url: load.url, request: talk.request, connections: load.talks.length },
    ...{ body: talk.alike === 'answers' ? before.body : undefined, seconds: Math.ceil(load.span.ms / 1000) },
    onEnd: () => load.onClock?.('end'),
  })
  const { requests, seconds, wrong, example, p50, p99 } = told
  if (wrong > 0) throw new WrongAnswer(`${wrong} wrong answers, or connections that broke: ${example}`)
  for (const answer of told.answers) {
    const problem = judge(talk, answer)
    if (problem !== undefined) throw new WrongAnswer(problem)
  }
  if (talk.alike === 'requests' && told.answers.length < requests)
    throw new WrongAnswer(`${requests} answers came, and ${told.answers.length} were kept`)
  return {
    ...{ perSecond: requests / seconds, p50, p99, meanwhilePerSecond: 0 },
    ...{ answers: requests, allAnswers: before.allAnswers + requests },
  }
}
