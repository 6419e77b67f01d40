import type { TSchema } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'

/** Everything that is declared, by the key of its section. */
export type Declaration = Record<string, unknown[]>

/** One step that brings the instance closer to its declaration. */
export interface Change {
  action: 'create' | 'update'
  /** What it is about, such as `user mia@acme.test`. */
  subject: string
  /** The fields that change, for the plan. Never a secret. */
  fields: string[]
  /** What an entry refers to may be made by the steps before, so it is looked up here and not in the plan. */
  apply(tx: Tx): Promise<void>
}

/** One kind of thing a declaration may list, under its own key. Each slice brings its own. */
export interface Section {
  key: string
  entry: TSchema
  /**
   * Compares the entries, which fit the schema, with what is there. The rest of the declaration tells which of the
   * things an entry refers to will be there in time.
   */
  plan(ctx: Ctx, entries: unknown[], declaration: Declaration): Promise<Change[]>
}
