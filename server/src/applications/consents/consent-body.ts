import { Type } from 'typebox'
import { ActionResult, Timestamp } from '../../http/routing/schema.ts'

/** Stands for the consents that were given in no tenant. */
export const NO_TENANT = 'none'

export const ConsentBody = Type.Object(
  {
    applicationId: Type.String({ format: 'uuid' }),
    applicationName: Type.String(),
    logoUrl: Type.Union([Type.String(), Type.Null()], {
      description: 'The path of the logo of the application; null: it has none',
    }),
    tenantId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description: 'The tenant in which it was given; null: in none',
    }),
    tenantName: Type.Union([Type.String(), Type.Null()]),
    scopes: Type.Array(Type.String(), {
      description: 'A scope of a resource follows its URI and a space; the URI itself is also listed',
    }),
    grantedAt: Timestamp,
    lastUsedAt: Type.Union([Timestamp, Type.Null()], {
      description: 'When the application last obtained tokens; null: it has none that are valid',
    }),
  },
  { title: 'Consent' },
)

export const ConsentList = Type.Object(
  { consents: Type.Array(ConsentBody, { description: 'The newest comes first' }) },
  { title: 'ConsentList' },
)

export const InTenant = Type.Object({
  tenantId: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Only the consent in this tenant; ${NO_TENANT}: only the one that was given in no tenant`,
    }),
  ),
})

export const WithdrawnConsents = Type.Object(
  { ...ActionResult.properties, count: Type.Integer({ description: 'How many were withdrawn' }) },
  { title: 'WithdrawnConsents' },
)
