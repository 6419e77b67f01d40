import type { Role } from '../db/tables.ts'
import type { Field } from './columns.ts'

/** A tenant by its slug, and the role of a user in it. */
export interface Membership {
  tenant: string
  role: Role
}

/** One row of a file, with its values not validated yet. */
export interface Row {
  line: number
  /** Where the row is, if the line of one file does not tell. */
  place?: string
  values: Partial<Record<Field, unknown>>
  /** For a user of several tenants, instead of the values `tenant` and `role`. */
  memberships?: Membership[]
  /** Of the authenticator app, in base32. */
  totpSecret?: string | undefined
  /** What the user had in the other system and does not get here. */
  losses?: string[]
}

/** Why a row cannot be imported, or is imported in part. The reason never quotes the values of the row. */
export interface RowProblem {
  line: number
  place?: string | undefined
  /** Only set when it is a valid address. */
  email?: string | undefined
  reason: string
}

export type ParsedRow = Row | RowProblem

export const isProblem = (row: ParsedRow): row is RowProblem => 'reason' in row

export const MAX_ROW_BYTES = 65_536
