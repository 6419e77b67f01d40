import { prepareDatabase } from './databases.ts'
import { listRows } from './list-rows.ts'
import { openPlace, type Place } from './place.ts'
import { rows as otherRows } from './rows.ts'
import { type Service, startService, type Where } from './service.ts'

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
  /** The same of the processor time of service and database, which is the same however busy the machine is; NaN: not known. */
  processorRatios: number[]
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
    // The largest takes longest, and the others shall be as fresh.
    const databases = new Map<number, Where>()
    for (const size of sizes.toReversed()) {
      databases.set(size, await prepareDatabase(database.socketDir, size, tell))
    }
    for (const size of sizes) {
      const where = databases.get(size)
      if (!where) continue
      const service = await startService(where)
      services.push(service)
      places.push(await openPlace(service, where, size))
    }
    const rows: GrowthRow[] = []
    for (const plan of [...otherRows, ...listRows].filter(({ id }) => id.includes(only))) {
      const row = await measureRow(plan, places, options)
      tell(describe(row))
      rows.push(row)
    }
    return { sizes, rows }
  } finally {
    for (const place of places) await place.close()
    for (const service of services) await service.stop()
  }
}

const describe = ({ id, milliseconds, ratios, processorRatios }: GrowthRow): string => {
  const [ms, times, processor] = [milliseconds, ratios, processorRatios].map((values) =>
    values.map((value) => value.toFixed(2)).join(', '),
  )
  return `${id}: ${ms} ms; ratios ${times}; of processor time ${processor}`
}

/** How long a request took in one slice, and how much of the processors. */
interface Slice {
  ms: number
  processorMs: number
}

/** The sizes are asked in turn, in short slices, so that whatever else the machine does slows all of them alike. */
async function measureRow(
  { id, name, most, prepare }: GrowthPlan,
  places: Place[],
  { seconds, runs }: GrowthOptions,
): Promise<GrowthRow> {
  const sides: { place: Place; asking: Asking; slices: Slice[] }[] = []
  for (const place of places) sides.push({ place, asking: await prepare(place), slices: [] })
  // A program is quick only once it has done the same for a while.
  for (const { place, asking } of sides) await timeSlice(place, asking, WARM_SLICES * seconds * 1000)
  for (let run = 0; run < runs; run++) {
    // Nobody is always the first.
    for (const { place, asking, slices } of run % 2 === 0 ? sides : sides.toReversed()) {
      slices.push(await timeSlice(place, asking, seconds * 1000))
    }
  }
  const fewest = sides[0]?.slices ?? []
  const ratiosOf = (what: keyof Slice) =>
    sides.map(({ slices }) =>
      median(slices.map((slice, index) => slice[what] / (fewest[index]?.[what] ?? Number.NaN))),
    )
  return {
    ...{ id, name, most },
    milliseconds: sides.map(({ slices }) => median(slices.map(({ ms }) => ms))),
    ratios: ratiosOf('ms'),
    processorRatios: ratiosOf('processorMs'),
  }
}

/** So many slices, each as long as those that count. */
const WARM_SLICES = 5
const LEAST = 10

async function timeSlice({ meter }: Place, { ask, undo }: Asking, ms: number): Promise<Slice> {
  const times: number[] = []
  const before = await meter.read()
  const end = performance.now() + ms
  while (times.length < LEAST || performance.now() < end) {
    const begin = performance.now()
    await ask()
    times.push(performance.now() - begin)
    await undo?.()
  }
  return { ms: median(times), processorMs: ((await meter.read()) - before) / times.length }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
