import { Type } from 'typebox'
import { ActionResult, Timestamp } from '../../http/routing/schema.ts'

const Consent = Type.Object(
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
    scopes: Type.Array(Type.String()),
    grantedAt: Timestamp,
  },
  { title: 'Consent' },
)

export const ConsentList = Type.Object(
  { consents: Type.Array(Consent, { description: 'The newest comes first' }) },
  { title: 'ConsentList' },
)

export const ByApplicationId = Type.Object({ applicationId: Type.String() })

export const WithdrawnConsents = Type.Object(
  { ...ActionResult.properties, count: Type.Integer({ description: 'How many were withdrawn' }) },
  { title: 'WithdrawnConsents' },
)
