import type { TObject } from 'typebox'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'

/** One declared object, such as a user or a tenant. */
export type Entry = Record<string, unknown>

/** All declared entries, by the key of their section. */
export type Declaration = Record<string, unknown[]>

/** One change that brings the instance closer to its declaration. */
export interface Change {
  action: 'create' | 'update' | 'delete'
  /** The kind and the name of the object, such as `user mia@acme.test`. */
  subject: string
  /** The fields that are set or changed, one line each, for the plan. Never a secret. */
  fields: string[]
  /** Looks up the objects that the entry refers to, because an earlier change may have created them. */
  apply(tx: Tx): Promise<void>
  /** Runs after all changes have been applied. */
  finish?(tx: Tx): Promise<void>
}

/** What a section needs for its plan besides its own entries. */
export interface PlanContext {
  /** All entries that are to exist. An entry may refer to an object that the same declaration creates. */
  declaration: Declaration
  /** All entries that are to be absent. */
  absent: Declaration
  /** Whether objects that are not declared are deleted. */
  prune: boolean
}

export interface ExportOptions {
  /** Also exports the hashes of passwords and of client secrets. */
  withSecrets: boolean
}

/** One kind of object that a declaration may list, under its own key. Each slice defines its own sections. */
export interface Section {
  key: string
  entry: TObject
  /** The fields that identify the object of an entry. */
  keys: readonly string[]
  /** Required references: by section, which field of an entry holds which key field of the object it refers to. */
  refersTo?: Record<string, Record<string, string>>
  /** Does slow work, such as hashing passwords, before the transaction starts. */
  prepare?(ctx: Ctx, entries: unknown[]): Promise<unknown[]>
  /** Compares the entries, which match the schema, with the stored objects. */
  plan(ctx: Ctx, entries: unknown[], context: PlanContext): Promise<Change[]>
  /** The deletions of the objects that these entries name and that exist. */
  planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]>
  /** The keys of all stored objects. Missing for users and tenants, which are also created without a declaration. */
  listKeys?(ctx: Ctx): Promise<Entry[]>
  /** All stored objects as entries, ordered by their keys only. */
  export(ctx: Ctx, options: ExportOptions): AsyncIterable<Entry>
}
