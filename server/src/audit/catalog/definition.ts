import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'

/** The definition of one audited action. */
export interface ActionDefinition {
  /** One sentence for the docs. */
  summary: string
  /** The schema of the details. An action without it has none. */
  details?: TObject
  /** Example details for the docs. */
  example?: Record<string, unknown>
}

/** Keeps the literal action names in the type. */
export const defineActions = <const K extends Record<string, ActionDefinition>>(kinds: K): K => kinds

export const Id = Type.String({ format: 'uuid' })
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** An object without additional properties. */
export const strictObject = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** An object with any subset of the fields and no others. */
export const partialObject = <P extends TProperties>(fields: P) =>
  Type.Partial(strictObject(fields), { additionalProperties: false })

/** Field values by field name. */
export const Fields = Type.Record(Type.String(), Type.Unknown())

/** The details of a change: identifying fields, and the changed fields before and after. */
export const changeDetails = (identity: TProperties) => strictObject({ ...identity, before: Fields, after: Fields })

/** A details schema with an example that the compiler checks against it. */
export const withExample = <S extends TObject>(details: S, example: Static<S>) => ({
  details,
  example: example as Record<string, unknown>,
})

/** Ids for examples. */
export const SAMPLE_IDS = {
  application: '019a8b1e-5d10-7c40-9a51-0c1f6e2b7d01',
  licenseType: '019a8b1e-5d11-7e52-8b3f-2a9d4c6e8f02',
  otherLicenseType: '019a8b1e-5d11-7e53-9c40-3bae5d7f9003',
  subscription: '019a8b1e-5d12-7f63-8d51-4cbf6e80a104',
  invitation: '019a8b1e-5d13-7074-9e62-5dc07f91b205',
  session: '019a8b1e-5d14-7185-8f73-6ed190a2c306',
  passkey: '019a8b1e-5d15-7296-9084-7fe2a1b3d407',
  tenant: '019a8b1e-5d16-73a7-8195-80f3b2c4e508',
  user: '019a8b1e-5d17-74b8-92a6-9104c3d5f609',
  actor: '019a8b1e-5d18-75c9-83b7-a215d4e6070a',
  entry: '019a8b1e-5d19-76da-94c8-b326e5f7180b',
} as const
