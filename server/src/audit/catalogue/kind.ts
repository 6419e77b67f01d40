import { type TObject, type TProperties, Type } from 'typebox'

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

/** Fields of a thing, by their names. */
export const Fields = Type.Record(Type.String(), Type.Unknown())

/** What has changed about a thing: the changed fields, as they were and as they are. */
export const changed = (thing: TProperties) =>
  Type.Object({ ...thing, before: Fields, after: Fields }, { additionalProperties: false })
