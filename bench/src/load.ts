import { findProblem, runAutocannon } from './autocannon.ts'
import { type LoadOptions, type LoadResult, type Phase, UnexpectedResponseError } from './load-types.ts'
import { quantile } from './numbers.ts'
import { hasWrk, runWrk } from './wrk.ts'
import { isRecorded, type WrkWorkload } from './wrk-script.ts'

/** Each connection sends its next request as soon as it has a response. Every response is checked. */
export async function runLoad(load: LoadOptions): Promise<LoadResult> {
  const toWorkload = hasWrk ? findWorkload(load) : undefined
  if (toWorkload) return runLoadWithWrk(load, toWorkload)
  const { times, seconds, backgroundResponses, totalResponses } = await runAutocannon(load)
  times.sort((a, b) => a - b)
  return {
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    backgroundPerSecond: backgroundResponses / seconds,
    responses: times.length,
    totalResponses,
  }
}

/** The same load for wrk, if wrk can produce it. The function takes a response body that passed its check. */
function findWorkload({ scenarios, background }: LoadOptions): ((expectedBody: string) => WrkWorkload) | undefined {
  if (background) return undefined
  const chains = scenarios.flatMap(({ chain }) => chain ?? [])
  if (chains.length === scenarios.length) return () => ({ chains })
  const [first] = scenarios
  const mix = first?.mix
  if (mix && scenarios.every((scenario) => scenario.mix === mix)) return () => ({ mix })
  if (!first?.fixed || scenarios.some((scenario) => scenario !== first)) return undefined
  const { request, fixed } = first
  if (typeof request === 'function') return undefined
  return (expectedBody) => (fixed === 'response' ? { request, expectedBody } : { request })
}

const NO_WARMUP: Phase = { minMs: 0, minResponses: 0, maxMs: 0 }

/** autocannon does the warmup and checks its responses. wrk compares with them, or its responses are checked afterwards. */
async function runLoadWithWrk(
  load: LoadOptions,
  toWorkload: (expectedBody: string) => WrkWorkload,
): Promise<LoadResult> {
  const warmup = await runAutocannon({
    ...load,
    warmup: NO_WARMUP,
    measurement: load.warmup,
    onMeasurement: () => {},
  })
  const workload = toWorkload(warmup.body)
  load.onMeasurement?.('start')
  const result = await runWrk({
    url: load.url,
    workload,
    connections: load.scenarios.length,
    seconds: Math.ceil(load.measurement.minMs / 1000),
    onEnd: () => load.onMeasurement?.('end'),
  })
  const { requests, seconds, failures, firstFailure, p50, p99 } = result
  if (failures > 0)
    throw new UnexpectedResponseError(`${failures} wrong responses or broken connections: ${firstFailure}`)
  const [scenario] = load.scenarios
  for (const response of result.responses) {
    const problem = scenario && findProblem(scenario, response)
    if (problem !== undefined) throw new UnexpectedResponseError(problem)
  }
  if (isRecorded(workload) && result.responses.length < requests)
    throw new UnexpectedResponseError(`${requests} responses were received, but ${result.responses.length} recorded`)
  return {
    perSecond: requests / seconds,
    p50,
    p99,
    backgroundPerSecond: 0,
    responses: requests,
    totalResponses: warmup.totalResponses + requests,
  }
}
