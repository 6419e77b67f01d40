import type { RowResult } from './measure.ts'
import type { StartResult } from './start.ts'
import type { Units } from './units.ts'

/** Everything that a run of the bench found out. */
export interface Results {
  about: About
  rows: RowResult[]
  /** The same asked of a service of two processes. */
  twoProcesses: RowResult[]
  start?: StartResult
  /** MB that the service holds when all rows have been asked. */
  loadedMb?: number
  growth?: GrowthTable
  bulkheads?: BulkheadTable
}

export interface About {
  date: string
  node: string
  postgres: string
  /** What the processor calls itself. */
  processor: string
  cores: number
  memoryGb: number
  system: string
  rounds: number
  ms: number
  connections: number
  /** How many processes wanted a core before the bench began. */
  loadBefore: number
  units: Units
  /** Minutes that all of it took. */
  minutes: number
}

/** How much longer an answer takes when there is more of everything. */
export interface GrowthTable {
  sizes: number[]
  rows: GrowthRow[]
}

export interface GrowthRow {
  id: string
  name: string
  /** For each size. */
  milliseconds: number[]
  /** How many times as long as with the fewest, for each size. */
  ratios: number[]
  /** What the last ratio must not exceed. */
  most?: number | undefined
}

/** How long those wait who need nothing of what others wait for: the 99th percentile, in milliseconds. */
export interface BulkheadTable {
  /** How many were signed in meanwhile, and how many tried at a time. */
  signIns: number
  atOnce: number
  /** How often one of them was told to come again. */
  turnedAway: number
  seconds: number
  /** How long the audit log was locked. */
  lockMs: number
  /** What none of them must exceed. */
  most: number
  rows: BulkheadRow[]
}

export interface BulkheadRow {
  name: string
  calm: number
  crowded: number
  locked: number
}
