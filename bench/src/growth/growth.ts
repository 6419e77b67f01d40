import { prepareDatabase } from './databases.ts'
import { listRows } from './list-rows.ts'
import { openPlace, type Place } from './place.ts'
import { rows as otherRows } from './rows.ts'
import { type Service, startService } from './service.ts'

/** How much slower the service is when it holds a million of everything than when it holds a hundred. */

export interface GrowthOptions {
  /** How many of everything, the fewest first. */
  sizes: number[]
  /** How long each size is asked before it is the next one's turn. */
  seconds: number
  /** How often it is each size's turn. */
  runs: number
  /** A PostgreSQL, with the roles `postgres` and `latchkey`. Databases of a hundred thousand and more stay there. */
  database: { socketDir: string }
  /** Only rows whose id contains this. */
  only?: string
  tell(line: string): void
}

export interface GrowthRow {
  id: string
  name: string
  /** The median time of a request over one connection, for each size. */
  milliseconds: number[]
  /** How many times as long it takes as with the fewest: the median over the turns. */
  ratios: number[]
  /** What the last ratio must not exceed. Undefined: it is only shown. */
  most?: number | undefined
}

export interface GrowthTable {
  sizes: number[]
  rows: GrowthRow[]
}

/** Something that is asked again and again. */
export interface Asking {
  ask(): Promise<unknown>
  /** What must be done before it can be asked again, and does not count. */
  undo?(): Promise<unknown>
}

export interface GrowthPlan {
  id: string
  name: string
  most?: number
  prepare(place: Place): Promise<Asking>
}

export async function measureGrowth(options: GrowthOptions): Promise<GrowthTable> {
  const { sizes, database, only = '', tell } = options
  const services: Service[] = []
  const places: Place[] = []
  try {
    for (const size of sizes) {
      const where = await prepareDatabase(database.socketDir, size, tell)
      const service = await startService(where)
      services.push(service)
      places.push(await openPlace(service.url, where, size))
    }
    const rows: GrowthRow[] = []
    for (const plan of [...otherRows, ...listRows].filter(({ id }) => id.includes(only))) {
      const row = await measureRow(plan, places, options)
      const [ms, ratios] = [row.milliseconds, row.ratios].map((values) => values.map((v) => v.toFixed(2)))
      tell(`${row.id}: ${ms?.join(', ')} ms, ratios ${ratios?.join(', ')}`)
      rows.push(row)
    }
    return { sizes, rows }
  } finally {
    for (const place of places) place.close()
    for (const service of services) await service.stop()
  }
}

/** The sizes are asked in turn, in short slices, so that whatever else the machine does slows all of them alike. */
async function measureRow(
  { id, name, most, prepare }: GrowthPlan,
  places: Place[],
  { seconds, runs }: GrowthOptions,
): Promise<GrowthRow> {
  const askings: Asking[] = []
  for (const place of places) askings.push(await prepare(place))
  const turns: number[][] = []
  // The first turn fills memories.
  for (let run = 0; run <= runs; run++) {
    const turn: number[] = []
    for (const asking of askings) turn.push(await timeSlice(asking, seconds * 1000))
    if (run > 0) turns.push(turn)
  }
  return {
    ...{ id, name, most },
    milliseconds: places.map((_, index) => median(turns.map((turn) => turn[index] ?? Number.NaN))),
    ratios: places.map((_, index) =>
      median(turns.map((turn) => (turn[index] ?? Number.NaN) / (turn[0] ?? Number.NaN))),
    ),
  }
}

const LEAST = 5

async function timeSlice({ ask, undo }: Asking, ms: number): Promise<number> {
  const times: number[] = []
  const end = performance.now() + ms
  while (times.length < LEAST || performance.now() < end) {
    const begin = performance.now()
    await ask()
    times.push(performance.now() - begin)
    await undo?.()
  }
  return median(times)
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
