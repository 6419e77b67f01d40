import { type Load, type Measured, type Span, WrongAnswer } from './asked.ts'
import { converse, judge } from './conversation.ts'
import { quantile } from './numbers.ts'
import { askWithWrk, hasWrk } from './wrk.ts'
import type { Asking } from './wrk-script.ts'

/** Asks on all connections, each its next as soon as it has its answer, and looks at every answer. */
export async function runLoad(load: Load): Promise<Measured> {
  const toAsk = hasWrk ? toAsking(load) : undefined
  if (toAsk) return askQuickly(load, toAsk)
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

/** How wrk can ask the same, where it can. What it is told of answers comes of those that were looked at before. */
function toAsking({ talks, meanwhile }: Load): ((body: string) => Asking) | undefined {
  if (meanwhile) return undefined
  const chains = talks.flatMap(({ chain }) => chain ?? [])
  if (chains.length === talks.length) return () => ({ chains })
  const [first] = talks
  if (!first?.alike || talks.some((talk) => talk !== first)) return undefined
  const { request, alike } = first
  if (typeof request === 'function') return undefined
  return (body) => (alike === 'answers' ? { request, body } : { request })
}

const AT_ONCE: Span = { ms: 0, answers: 0, mostMs: 0 }

/** Until the clock runs, whoever can judge asks. From then on answers are compared with those, or judged afterwards. */
async function askQuickly(load: Load, toAsk: (body: string) => Asking): Promise<Measured> {
  const before = await converse({ ...load, warm: AT_ONCE, span: load.warm, onClock: () => {} })
  const asking = toAsk(before.body)
  load.onClock?.('begin')
  const told = await askWithWrk({
    ...{ url: load.url, asking, connections: load.talks.length, seconds: Math.ceil(load.span.ms / 1000) },
    onEnd: () => load.onClock?.('end'),
  })
  const { requests, seconds, wrong, example, p50, p99 } = told
  if (wrong > 0) throw new WrongAnswer(`${wrong} wrong answers, or connections that broke: ${example}`)
  const [talk] = load.talks
  for (const answer of told.answers) {
    const problem = talk && judge(talk, answer)
    if (problem !== undefined) throw new WrongAnswer(problem)
  }
  if (!('body' in asking) && told.answers.length < requests)
    throw new WrongAnswer(`${requests} answers came, and ${told.answers.length} were kept`)
  return {
    ...{ perSecond: requests / seconds, p50, p99, meanwhilePerSecond: 0 },
    ...{ answers: requests, allAnswers: before.allAnswers + requests },
  }
}
