import type { RowResult } from './measure.ts'
import type { StartResult } from './start.ts'
import type { Units } from './units.ts'

/** All results of one run of the bench. */
export interface Results {
  about: About
  rows: RowResult[]
  /** The same rows with two processes of the service. */
  twoProcesses: RowResult[]
  start?: StartResult
  memory?: MemoryResult
  growth?: GrowthTable
  bulkheads?: BulkheadTable
}

export interface About {
  date: string
  node: string
  postgres: string
  processor: string
  cores: number
  memoryGb: number
  system: string
  rounds: number
  ms: number
  connections: number
  /** The load average before the bench started. */
  loadBefore: number
  units: Units
  minutes: number
}

/** Resident memory in MB and CPU time of the service. */
export interface MemoryResult {
  afterRowsMb: number
  /** While the tokens and license facts are in use. */
  inUseMb: number
  tokens: number
  facts: number
  /** Percent of one core. */
  idleCpuPercent: number
}

/** How response times grow with the amount of data. */
export interface GrowthTable {
  sizes: number[]
  rows: GrowthRow[]
}

export interface GrowthRow {
  id: string
  name: string
  /** One per size. */
  milliseconds: number[]
  /** Response time relative to the smallest size, one per size. */
  ratios: number[]
  /** The highest allowed value of the last ratio. */
  maxRatio?: number | undefined
}

/** p99 latency of requests that are independent of an overloaded or locked part of the service. */
export interface BulkheadTable {
  signIns: number
  concurrency: number
  /** Sign-ins that were answered with 503 and retried. */
  rejected: number
  seconds: number
  /** How long the audit table was locked. */
  lockMs: number
  maxP99Ms: number
  rows: BulkheadRow[]
}

/** p99 latencies in milliseconds. */
export interface BulkheadRow {
  name: string
  idle: number
  duringSignIns: number
  duringLock: number
}
