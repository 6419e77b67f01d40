import type { TSchema } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'

/** One step that brings the instance closer to its declaration. */
export interface Change {
  action: 'create' | 'update'
  /** What it is about, such as `user mia@acme.test`. */
  subject: string
  /** The fields that change, for the plan. Never a secret. */
  fields: string[]
  apply(tx: Tx): Promise<void>
}

/** One kind of thing a declaration may list, under its own key. Each slice brings its own. */
export interface Section {
  key: string
  entry: TSchema
  /** Compares the entries, which fit the schema, with what is there. */
  plan(ctx: Ctx, entries: unknown[]): Promise<Change[]>
}
