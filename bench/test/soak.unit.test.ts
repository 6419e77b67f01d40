import { expect, test } from 'vitest'
import { compareQuarters, isLongEnough, listGrown } from '../src/soak/growth.ts'
import type { NodeSample, Sample } from '../src/soak/samples.ts'
import { createTally } from '../src/soak/tally.ts'

const STEADY: NodeSample = {
  residentMb: 150,
  heapMb: 50,
  heapTotalMb: 70,
  descriptors: 50,
  handles: 50,
  eventLoopP99Ms: 20,
  cacheEntries: 100,
}

/** A run with `count` samples. `change` gets the position in the run, from 0 to 1. */
const run = (count: number, change: (position: number) => Partial<NodeSample>, connections = () => 30): Sample[] =>
  Array.from({ length: count }, (_, index) => ({
    minute: index / 2,
    nodes: [{ ...STEADY, ...change(index / count) }],
    connections: connections(),
  }))

const grown = (samples: Sample[]) => listGrown(compareQuarters(samples, ['node']))

test('a constant or oscillating value has not grown', () => {
  expect(grown(run(60, () => ({})))).toEqual([])
  let turn = 0
  expect(grown(run(60, () => ({ heapMb: turn++ % 2 === 0 ? 40 : 90 })))).toEqual([])
})

test('growth in the first quarter is ignored', () => {
  expect(grown(run(60, (position) => ({ residentMb: 100 + 400 * Math.min(position, 0.25) })))).toEqual([])
})

test.each([
  ['residentMb', 120, 'RSS'],
  ['heapMb', 60, 'heap in use'],
  ['descriptors', 40, 'file descriptors'],
  ['handles', 40, 'handles'],
] as const)('continuous growth of %s is detected', (field, growth, name) => {
  const problems = grown(run(60, (position) => ({ [field]: STEADY[field] + growth * position })))
  expect(problems).toEqual([expect.stringContaining(`node: ${name}`)])
})

test('continuous growth of connections and unknown values are detected', () => {
  let count = 20
  expect(
    grown(
      run(
        60,
        () => ({}),
        () => count++,
      ),
    ),
  ).toEqual([expect.stringContaining('connections to the database grew')])
  expect(grown(run(60, () => ({ residentMb: Number.NaN })))).toHaveLength(1)
})

test('growth is not checked in a run of less than ten minutes', () => {
  expect(isLongEnough(run(19, () => ({})))).toBe(false)
  expect(isLongEnough(run(20, () => ({})))).toBe(true)
})

test('a 5xx and an unexpected response fail the soak', () => {
  const tally = createTally()
  tally.record('refresh', 200, 5)
  expect(tally.problems()).toEqual([])
  tally.record('refresh', 503, 5)
  tally.recordUnexpected('refresh: 429')
  expect(tally.problems()).toEqual(['1 responses with 503', '1 times refresh: 429'])
  expect(tally.show(2)).toContain('| refresh | 2 | 1.0 | 5.0 | 5.0 | 5.0 | 0 |')
})
