import type { TObject } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'

/** One thing that is declared. */
export type Entry = Record<string, unknown>

/** Everything that is declared, by the key of its section. */
export type Declaration = Record<string, unknown[]>

/** One step that brings the instance closer to its declaration. */
export interface Change {
  action: 'create' | 'update' | 'delete'
  /** What it is about, such as `user mia@acme.test`. */
  subject: string
  /** What is set or changes, a line each, for the plan. Never a secret. */
  fields: string[]
  /** What an entry refers to may be made by the steps before, so it is looked up here and not in the plan. */
  apply(tx: Tx): Promise<void>
  /** What has to wait until all the others have been applied. */
  finish?(tx: Tx): Promise<void>
}

/** What a section knows beside its own entries. */
export interface Planning {
  /** All that is to be there, which tells what of the things an entry refers to will be there in time. */
  declaration: Declaration
  /** All that is to be gone. */
  absent: Declaration
  /** Whether what is not listed goes. */
  prune: boolean
}

/** What is written out of an instance. */
export interface ExportOptions {
  /** Also the hashes of passwords and of clients' secrets. */
  withSecrets: boolean
}

/** One kind of thing a declaration may list, under its own key. Each slice brings its own. */
export interface Section {
  key: string
  entry: TObject
  /** The fields by which an entry names its thing. */
  keys: readonly string[]
  /** Things of other sections without which these cannot be: the fields of an entry, by the keys they refer to. */
  refersTo?: Record<string, Record<string, string>>
  /** Does what takes long, such as hashing passwords, before the transaction in which all is planned and applied. */
  prepare?(ctx: Ctx, entries: unknown[]): Promise<unknown[]>
  /** Compares the entries, which fit the schema, with what is there. */
  plan(ctx: Ctx, entries: unknown[], planning: Planning): Promise<Change[]>
  /** Deletions of the things that these entries name, as far as they are there. */
  planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]>
  /** The keys of what is there. Left out where things come by themselves, so that no list is ever complete. */
  listKeys?(ctx: Ctx): Promise<Entry[]>
  /** Everything there is, as it would be declared, in an order that nothing but the names decides. */
  export(ctx: Ctx, options: ExportOptions): AsyncIterable<Entry>
}
