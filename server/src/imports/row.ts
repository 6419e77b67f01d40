import type { Field } from './columns.ts'

/** One row of a file, as it stands there. */
export interface Row {
  line: number
  values: Partial<Record<Field, unknown>>
}

/** A row that cannot be used, and why; never what stands in it. */
export interface Problem {
  line: number
  /** Only if it is one. */
  email?: string | undefined
  reason: string
}

export type ReadRow = Row | Problem

export const isProblem = (row: ReadRow): row is Problem => 'reason' in row

/** No honest row is longer. */
export const LONGEST_ROW = 65_536
