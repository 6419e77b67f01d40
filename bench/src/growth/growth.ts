import { prepareDatabase } from './databases.ts'
import { listRows } from './list-rows.ts'
import type { GrowthPlan, Operation } from './plan.ts'
import { rows as otherRows } from './rows.ts'
import { type DatabaseAddress, type Service, startService } from './service.ts'
import { openTarget, type Target } from './target.ts'

/** Compares response times of the service with a hundred users and with up to a million. */

export interface GrowthOptions {
  /** Numbers of users, in ascending order. */
  sizes: number[]
  /** The length of one slice: the sizes alternate. */
  seconds: number
  /** The number of slices per size. */
  runs: number
  /** A PostgreSQL with the roles `postgres` and `latchkey`. Databases of 100,000 users and more are kept in it. */
  database: { socketDir: string }
  /** Only rows whose id contains this. */
  only?: string
  log(line: string): void
}

export interface GrowthRow {
  id: string
  name: string
  /** The median time of a request over one connection, one per size. */
  milliseconds: number[]
  /** Time relative to the smallest size: the median over all slices. */
  ratios: number[]
  /** CPU time of service and database relative to the smallest size. Other work does not disturb it. NaN: unknown. */
  cpuRatios: number[]
  /** The highest allowed value of the last ratio. Undefined: only reported. */
  maxRatio?: number | undefined
}

export interface GrowthTable {
  sizes: number[]
  rows: GrowthRow[]
}

export async function measureGrowth(options: GrowthOptions): Promise<GrowthTable> {
  const { sizes, database, only = '', log } = options
  const services: Service[] = []
  const targets: Target[] = []
  try {
    // The largest first: it takes longest, and all databases must be equally fresh.
    const databases = new Map<number, DatabaseAddress>()
    for (const size of sizes.toReversed()) {
      databases.set(size, await prepareDatabase(database.socketDir, size, log))
    }
    for (const size of sizes) {
      const address = databases.get(size)
      if (!address) continue
      const service = await startService(address)
      services.push(service)
      targets.push(await openTarget(service, address, size))
    }
    const rows: GrowthRow[] = []
    for (const plan of [...otherRows, ...listRows].filter(({ id }) => id.includes(only))) {
      const row = await measureRow(plan, targets, options)
      log(describe(row))
      rows.push(row)
    }
    return { sizes, rows }
  } finally {
    for (const target of targets) await target.close()
    for (const service of services) await service.stop()
  }
}

const describe = ({ id, milliseconds, ratios, cpuRatios }: GrowthRow): string => {
  const [ms, times, cpu] = [milliseconds, ratios, cpuRatios].map((values) =>
    values.map((value) => value.toFixed(2)).join(', '),
  )
  return `${id}: ${ms} ms; time ratios ${times}; CPU ratios ${cpu}`
}

/** The median time and the average CPU time of a request in one slice. */
interface Slice {
  ms: number
  cpuMs: number
}

/** The sizes alternate in short slices, so that other work on the machine slows all of them equally. */
async function measureRow(
  { id, name, maxRatio, prepare }: GrowthPlan,
  targets: Target[],
  { seconds, runs }: GrowthOptions,
): Promise<GrowthRow> {
  const sides: { target: Target; operation: Operation; slices: Slice[] }[] = []
  for (const target of targets) sides.push({ target, operation: await prepare(target), slices: [] })
  for (const { target, operation } of sides) {
    await measureSlice(target, operation, WARMUP_SLICES * seconds * 1000)
  }
  for (let run = 0; run < runs; run++) {
    // Alternate the order, so that no size is always first.
    for (const { target, operation, slices } of run % 2 === 0 ? sides : sides.toReversed()) {
      slices.push(await measureSlice(target, operation, seconds * 1000))
    }
  }
  const smallest = sides[0]?.slices ?? []
  const ratiosOf = (key: keyof Slice) =>
    sides.map(({ slices }) => median(slices.map((slice, index) => slice[key] / (smallest[index]?.[key] ?? Number.NaN))))
  return {
    id,
    name,
    maxRatio,
    milliseconds: sides.map(({ slices }) => median(slices.map(({ ms }) => ms))),
    ratios: ratiosOf('ms'),
    cpuRatios: ratiosOf('cpuMs'),
  }
}

const WARMUP_SLICES = 5
const MIN_REQUESTS = 10

async function measureSlice({ cpuMeter }: Target, { run, undo }: Operation, ms: number): Promise<Slice> {
  const times: number[] = []
  const before = await cpuMeter.read()
  const end = performance.now() + ms
  while (times.length < MIN_REQUESTS || performance.now() < end) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
    await undo?.()
  }
  return { ms: median(times), cpuMs: ((await cpuMeter.read()) - before) / times.length }
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
