import { type Static, Type } from 'typebox'
import { applicationIdField as applicationId, applicationIdInEither } from './application-id.ts'

const Moment = Type.String({ format: 'date-time' })
const nullableText = Type.Union([Type.String(), Type.Null()])

/** What is read is about the caller unless said; what is changed names whom it changes. */
const userId = Type.Optional(
  Type.String({
    description: 'Whose; the subject of the token unless said. The token of a machine must say.',
  }),
)
const namedUserId = Type.String({ description: 'The id of the member' })
const description = 'The answer must know what was answered with this X-License-Revision'
const revision = Type.String({ pattern: '^\\d{1,18}$', description })
const minRevision = Type.Optional(revision)

export const CheckQuery = Type.Object({ userId, applicationId, minRevision })
/** In a POST the fields may stand in the body or in the address; the body wins. */
export const CheckFields = Type.Object({ userId, applicationId: applicationIdInEither, minRevision })

const inBody = {
  minRevision: Type.Optional(
    Type.Union([revision, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], { description }),
  ),
}
export const CheckBody = Type.Object({ ...CheckFields.properties, ...inBody })
export type CheckBody = Static<typeof CheckBody>

const featureKey = Type.String({ minLength: 1, maxLength: 200 })
export const FeatureQuery = Type.Object({ ...CheckQuery.properties, featureKey })
export const ExplainQuery = Type.Object({
  ...CheckQuery.properties,
  featureKey: Type.Optional(featureKey),
})
export const FeatureFields = Type.Object({
  ...CheckFields.properties,
  featureKey: Type.Optional(featureKey),
})
export type FeatureFields = Static<typeof FeatureFields>
export const FeatureBody = Type.Object({ ...FeatureFields.properties, ...inBody })

export const CheckResult = Type.Object(
  {
    hasLicense: Type.Boolean(),
    licenseType: Type.Union([Type.String(), Type.Null()], { description: 'The slug of the licence type' }),
    licenseTypeName: nullableText,
    features: Type.Array(Type.String(), { description: 'In the order of the alphabet' }),
    assignedAt: Type.Optional(Moment),
  },
  { title: 'LicenseCheck' },
)
export type CheckResult = Static<typeof CheckResult>

export const FeatureResult = Type.Object({ hasFeature: Type.Boolean() }, { title: 'FeatureCheck' })
export type FeatureResult = Static<typeof FeatureResult>
export const TypeResult = Type.Object({ licenseType: nullableText }, { title: 'LicenseTypeCheck' })

export const ByApplication = Type.Object({ applicationId: Type.String() })

export const LicensedUsers = Type.Array(
  Type.Object(
    {
      userId: Type.String(),
      email: Type.String(),
      givenName: nullableText,
      familyName: nullableText,
      licenseType: Type.String(),
      licenseTypeName: Type.String(),
      assignedAt: Moment,
    },
    { title: 'LicensedUser' },
  ),
  { description: 'Who was given one first comes first' },
)
export const LicenseCount = Type.Object({ count: Type.Integer() }, { title: 'LicenseCount' })

export const GrantRequest = Type.Object(
  { userId: namedUserId, applicationId, licenseTypeId: Type.String() },
  { title: 'GrantRequest' },
)
export const RevokeRequest = Type.Object({ userId: namedUserId, applicationId }, { title: 'RevokeRequest' })

export const Assignment = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    licenseTypeId: Type.String(),
    licenseTypeName: Type.String(),
    assignedAt: Moment,
  },
  { title: 'LicenseAssignment' },
)
export type Assignment = Static<typeof Assignment>

export const MOST_ROWS = 500

export const BulkGrantRequest = Type.Object(
  {
    grants: Type.Array(Type.Object({ userId: Type.String(), applicationId, licenseTypeId: Type.String() }), {
      minItems: 1,
      maxItems: MOST_ROWS,
    }),
  },
  { title: 'BulkGrantRequest' },
)
export const BulkRevokeRequest = Type.Object(
  {
    revocations: Type.Array(Type.Object({ userId: Type.String(), applicationId }), {
      minItems: 1,
      maxItems: MOST_ROWS,
    }),
  },
  { title: 'BulkRevokeRequest' },
)

const rowResult = {
  userId: Type.String(),
  statusCode: Type.Integer({ description: 'What the row alone would have been answered' }),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  details: Type.Optional(Type.Unknown()),
}
export const BulkReply = Type.Object(
  {
    done: Type.Integer(),
    failed: Type.Integer(),
    results: Type.Array(Type.Object({ ...rowResult, license: Type.Optional(Assignment) }), {
      description: 'One for each row, in their order',
    }),
  },
  { title: 'BulkLicenseReply' },
)
export type BulkReply = Static<typeof BulkReply>

export const Explanation = Type.Object(
  {
    hasLicense: Type.Boolean(),
    hasFeature: Type.Optional(Type.Boolean({ description: 'When a featureKey was asked for' })),
    decidedBy: Type.Enum(['TENANT', 'USER', 'MEMBERSHIP', 'SUBSCRIPTION', 'SEAT', 'FEATURE']),
    message: Type.String({ description: 'One sentence for a person' }),
    steps: Type.Array(
      Type.Object({
        check: Type.Enum(['TENANT', 'USER', 'MEMBERSHIP', 'MFA_POLICY', 'SUBSCRIPTION', 'SEAT', 'FEATURE']),
        ok: Type.Boolean(),
        detail: Type.String(),
      }),
      {
        description:
          'In the order in which they decide; the tenant stands there when it is suspended, and the MFA policy decides about tokens, not licences',
      },
    ),
    remedy: Type.Union(
      [
        Type.Object({
          method: Type.String(),
          path: Type.String(),
          body: Type.Optional(Type.Object({}, { additionalProperties: true })),
        }),
        Type.Null(),
      ],
      { description: 'The one call that would change it, if there is one' },
    ),
  },
  { title: 'LicenseExplanation' },
)
export type Explanation = Static<typeof Explanation>
