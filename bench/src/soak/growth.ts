import { median } from '../numbers.ts'
import { fixed, table } from '../tables.ts'
import type { NodeSample, Sample } from './samples.ts'

/**
 * Growth of a resource. The first quarter of a run is ignored: code is compiled, caches fill and the pool opens its
 * connections. The medians of the second and the last quarter are compared, so that single samples before or after a
 * garbage collection do not matter.
 */
export interface Growth {
  name: string
  second: number
  last: number
  /** The highest allowed value of `last`. */
  max: number
}

/**
 * Allowed growth from the second quarter to the last. Memory: half of a run of 30 minutes has about 40,000 requests per
 * node, and 20 MB are half a KB for each. Descriptors and handles: client connections open and close. Database
 * connections: the pool opens one more for concurrent statements.
 */
const MEASURES: { field: keyof NodeSample; name: string; share: number; absolute: number }[] = [
  { field: 'residentMb', name: 'RSS, MB', share: 0.1, absolute: 20 },
  { field: 'heapMb', name: 'heap in use, MB', share: 0.2, absolute: 20 },
  { field: 'descriptors', name: 'file descriptors', share: 0.1, absolute: 10 },
  { field: 'handles', name: 'handles', share: 0.1, absolute: 10 },
]
const CONNECTIONS = { share: 0.1, absolute: 4 }

const MIN_SAMPLES_PER_QUARTER = 5

export function compareQuarters(samples: Sample[], labels: string[]): Growth[] {
  const compare = (
    name: string,
    pick: (sample: Sample) => number,
    tolerance: { share: number; absolute: number },
  ): Growth => {
    const values = samples.map(pick)
    const second = median(quarter(values, 2))
    const last = median(quarter(values, 4))
    return { name, second, last, max: second + Math.max(second * tolerance.share, tolerance.absolute) }
  }
  return [
    ...labels.flatMap((label, index) =>
      MEASURES.map(({ field, name, ...tolerance }) =>
        compare(`${label}: ${name}`, ({ nodes }) => nodes[index]?.[field] ?? Number.NaN, tolerance),
      ),
    ),
    compare('connections to the database', ({ connections }) => connections, CONNECTIONS),
  ]
}

function quarter(values: number[], number: 2 | 4): number[] {
  const size = values.length / 4
  return values.slice(Math.round(size * (number - 1)), Math.round(size * number))
}

export const isLongEnough = (samples: Sample[]): boolean => samples.length / 4 >= MIN_SAMPLES_PER_QUARTER

/** Resources that grew too much. An unknown value (NaN) counts as growth. */
export const listGrown = (growths: Growth[]): string[] =>
  growths
    .filter(({ last, max }) => !(last <= max))
    .map(
      ({ name, second, last, max }) =>
        `${name} grew from ${fixed(second, 1)} to ${fixed(last, 1)}, more than the allowed ${fixed(max, 1)}`,
    )

export const showGrowth = (growths: Growth[]): string =>
  table(
    ['', 'second quarter', 'last quarter', 'at most', ''],
    growths.map(({ name, second, last, max }) => [
      name,
      fixed(second, 1),
      fixed(last, 1),
      fixed(max, 1),
      last <= max ? 'steady' : '**grows**',
    ]),
  )

export const showSamples = (samples: Sample[], labels: string[]): string =>
  table(
    ['minute', ...labels.flatMap((label) => COLUMNS.map((name) => `${label}: ${name}`)), 'connections'],
    samples.map(({ minute, nodes, connections }) => [
      minute.toFixed(1),
      ...nodes.flatMap((node) => [
        ...[node.residentMb, node.heapMb, node.heapTotalMb, node.descriptors, node.handles, node.cacheEntries].map(
          (value) => fixed(value, 0),
        ),
        fixed(node.eventLoopP99Ms, 1),
      ]),
      connections,
    ]),
  )

const COLUMNS = ['RSS', 'heap', 'heap total', 'descriptors', 'handles', 'cache entries', 'event loop p99 ms']
