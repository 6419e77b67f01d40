import { expect, test } from 'vitest'
import { compareQuarters, isLongEnough, listGrown } from '../src/soak/growth.ts'
import type { NodeSample, Sample } from '../src/soak/samples.ts'
import { createTally } from '../src/soak/tally.ts'

const STEADY: NodeSample = {
  ...{
    residentMb: 150,
    heapMb: 50,
    heapTotalMb: 70,
    descriptors: 50,
    handles: 50,
    eventLoopP99Ms: 20,
    remembered: 100,
  },
}

/** A run of so many samples, each as `change` makes it of its place in the run, from 0 to 1. */
const run = (
  count: number,
  change: (place: number) => Partial<NodeSample>,
  connections = () => 30,
): Sample[] =>
  Array.from({ length: count }, (_, index) => ({
    minute: index / 2,
    nodes: [{ ...STEADY, ...change(index / count) }],
    connections: connections(),
  }))

const grown = (samples: Sample[]) => listGrown(compareQuarters(samples, ['node']))

test('what stays as it is, or moves up and down, has not grown', () => {
  expect(grown(run(60, () => ({})))).toEqual([])
  let turn = 0
  expect(grown(run(60, () => ({ heapMb: turn++ % 2 === 0 ? 40 : 90 })))).toEqual([])
})

test('what grows in the first quarter only has not grown', () => {
  expect(grown(run(60, (place) => ({ residentMb: 100 + 400 * Math.min(place, 0.25) })))).toEqual([])
})

test.each([
  ['residentMb', 120, 'RSS'],
  ['heapMb', 60, 'heap in use'],
  ['descriptors', 40, 'file descriptors'],
  ['handles', 40, 'handles'],
] as const)('%s that keeps growing is found', (field, by, name) => {
  const problems = grown(run(60, (place) => ({ [field]: STEADY[field] + by * place })))
  expect(problems).toEqual([expect.stringContaining(`node: ${name}`)])
})

test('connections that keep growing are found, and so is what nobody knows', () => {
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

test('a run of less than ten minutes is not judged', () => {
  expect(isLongEnough(run(19, () => ({})))).toBe(false)
  expect(isLongEnough(run(20, () => ({})))).toBe(true)
})

test('a 5xx and an answer that nobody expected fail the soak', () => {
  const tally = createTally()
  tally.note('refresh', 200, 5)
  expect(tally.problems()).toEqual([])
  tally.note('refresh', 503, 5)
  tally.noteUnexpected('refresh: 429')
  expect(tally.problems()).toEqual(['1 answers with 503', '1 times refresh: 429'])
  expect(tally.show(2)).toContain('| refresh | 2 | 1.0 | 5.0 | 5.0 | 5.0 | 0 |')
})
