import type { HttpResponse, Mix, MixedRequest, Scenario } from './row.ts'

/** Requests that differ, as those of real users do: a few are frequent, most are rare. */

const SEQUENCE_LENGTH = 100_000

/** One scenario per connection. Each starts at another position of the same sequence. */
export function createMixedScenarios(
  requests: MixedRequest[],
  connections: number,
  isValid: (response: HttpResponse) => boolean = () => true,
): Scenario[] {
  const mix: Mix = { requests, sequence: drawZipf(requests.length, SEQUENCE_LENGTH) }
  return Array.from({ length: connections }, (_, index) => {
    let position = Math.floor((index * SEQUENCE_LENGTH) / connections)
    let current: MixedRequest | undefined
    return {
      mix,
      request() {
        current = requests[mix.sequence[position++ % SEQUENCE_LENGTH] ?? 0]
        if (!current) throw new Error('There are no requests to send.')
        return current.request
      },
      check(response) {
        const hasExpectedBody = current?.expectedBody === undefined || response.body === current.expectedBody
        return response.status === 200 && hasExpectedBody && isValid(response)
          ? undefined
          : `unexpected response from ${current?.request.path}`
      },
    }
  })
}

/**
 * Draws indexes below `size` from a Zipf distribution: the frequency of an index is inversely proportional to its rank.
 * The ranks are random, but the same in every run.
 */
export function drawZipf(size: number, count: number): number[] {
  const random = createRandom()
  const ranked = Array.from({ length: size }, (_, index) => ({ index, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ index }) => index)
  const totals: number[] = []
  let total = 0
  for (let rank = 1; rank <= size; rank++) {
    total += 1 / rank
    totals.push(total)
  }
  return Array.from({ length: count }, () => ranked[findFirstAbove(totals, random() * total)] ?? 0)
}

/** The index of the first of the ascending numbers that is above the value. */
function findFirstAbove(ascending: number[], value: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

/** A linear congruential generator with a constant seed. Returns numbers from 0 to 1. */
function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
