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
