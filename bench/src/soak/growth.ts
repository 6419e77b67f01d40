import { median } from '../numbers.ts'
import { fixed, table } from '../tables.ts'
import type { NodeSample, Sample } from './samples.ts'

/**
 * Whether what the service holds keeps growing. The first quarter of a run is left out: code is compiled, caches fill and
 * the pool opens its connections. The median of the second quarter is compared with that of the last, so that one
 * sample just before or after a garbage collection decides nothing.
 */
export interface Growth {
  name: string
  second: number
  last: number
  /** The last may be so much. */
  most: number
}

/**
 * What may be added from the second quarter to the last. Memory: between these lies half of the run, which is some 40,000
 * requests for each node in half an hour; 20 MB are half a KB for each of them. Descriptors and handles: idle connections
 * of clients come and go. Connections to the database: the pool opens one more when several statements meet.
 */
const MEASURES: { field: keyof NodeSample; name: string; share: number; atLeast: number }[] = [
  { field: 'residentMb', name: 'RSS, MB', share: 0.1, atLeast: 20 },
  { field: 'heapMb', name: 'heap in use, MB', share: 0.2, atLeast: 20 },
  { field: 'descriptors', name: 'file descriptors', share: 0.1, atLeast: 10 },
  { field: 'handles', name: 'handles', share: 0.1, atLeast: 10 },
]
const CONNECTIONS = { share: 0.1, atLeast: 4 }

/** Below so many samples in a quarter a median says nothing. */
const LEAST_SAMPLES = 5

export function compareQuarters(samples: Sample[], labels: string[]): Growth[] {
  const compare = (
    name: string,
    pick: (sample: Sample) => number,
    room: { share: number; atLeast: number },
  ): Growth => {
    const values = samples.map(pick)
    const second = median(quarter(values, 2))
    const last = median(quarter(values, 4))
    return { name, second, last, most: second + Math.max(second * room.share, room.atLeast) }
  }
  return [
    ...labels.flatMap((label, index) =>
      MEASURES.map(({ field, name, ...room }) =>
        compare(`${label}: ${name}`, ({ nodes }) => nodes[index]?.[field] ?? Number.NaN, room),
      ),
    ),
    compare('connections to the database', ({ connections }) => connections, CONNECTIONS),
  ]
}

function quarter(values: number[], number: 2 | 4): number[] {
  const size = values.length / 4
  return values.slice(Math.round(size * (number - 1)), Math.round(size * number))
}

export const isLongEnough = (samples: Sample[]): boolean => samples.length / 4 >= LEAST_SAMPLES

/** What has grown beyond what it may. A value that nobody knows has. */
export const listGrown = (growths: Growth[]): string[] =>
  growths
    .filter(({ last, most }) => !(last <= most))
    .map(
      ({ name, second, last, most }) =>
        `${name} grew from ${fixed(second, 1)} to ${fixed(last, 1)}, more than ${fixed(most, 1)}`,
    )

export const showGrowth = (growths: Growth[]): string =>
  table(
    ['', 'second quarter', 'last quarter', 'at most', ''],
    growths.map(({ name, second, last, most }) => [
      ...[name, fixed(second, 1), fixed(last, 1), fixed(most, 1)],
      last <= most ? 'steady' : '**grows**',
    ]),
  )

export const showSamples = (samples: Sample[], labels: string[]): string =>
  table(
    ['minute', ...labels.flatMap((label) => COLUMNS.map((name) => `${label}: ${name}`)), 'connections'],
    samples.map(({ minute, nodes, connections }) => [
      minute.toFixed(1),
      ...nodes.flatMap((node) => [
        ...[
          node.residentMb,
          node.heapMb,
          node.heapTotalMb,
          node.descriptors,
          node.handles,
          node.remembered,
        ].map((value) => fixed(value, 0)),
        fixed(node.eventLoopP99Ms, 1),
      ]),
      connections,
    ]),
  )

const COLUMNS = ['RSS', 'heap', 'heap taken', 'descriptors', 'handles', 'facts', 'event loop p99 ms']
