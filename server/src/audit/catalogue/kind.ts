import type { TObject } from 'typebox'

/** One kind of thing that happens. */
export interface Kind {
  /** In a sentence, for the docs. */
  says: string
  /** What stands in the details; left out: nothing. */
  details?: TObject
  /** Details as they may be, for the docs. */
  example?: Record<string, unknown>
}

/** Names stay as they are written, for whoever looks one up. */
export const defineKinds = <const K extends Record<string, Kind>>(kinds: K): K => kinds
