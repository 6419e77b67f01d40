import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'
import { applicationIdField as applicationId, optionalApplicationIdField } from './application-id.ts'

const nullableText = Type.Union([Type.String(), Type.Null()])

/** Reads default to the caller; writes must name the user. */
const userId = Type.Optional(
  Type.String({
    description: 'The user; by default the subject of the token. Required with the token of a machine.',
  }),
)
const requiredUserId = Type.String({ description: 'The id of the member' })
const description = 'The result must be at least as fresh as this X-License-Revision'
const revision = Type.String({ pattern: '^\\d{1,18}$', description })
const minRevision = Type.Optional(revision)

export const CheckQuery = Type.Object({ userId, applicationId, minRevision })
/** In a POST the fields may be in the body or in the query string; the body takes precedence. */
export const CheckFields = Type.Object({ userId, applicationId: optionalApplicationIdField, minRevision })

const bodyFields = {
  minRevision: Type.Optional(
    Type.Union([revision, Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })], { description }),
  ),
}
export const CheckBody = Type.Object({ ...CheckFields.properties, ...bodyFields })
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
export const FeatureBody = Type.Object({ ...FeatureFields.properties, ...bodyFields })

export const CheckResult = Type.Object(
  {
    hasLicense: Type.Boolean(),
    licenseType: Type.Union([Type.String(), Type.Null()], { description: 'The slug of the license type' }),
    licenseTypeName: nullableText,
    features: Type.Array(Type.String(), { description: 'Sorted alphabetically' }),
    assignedAt: Type.Optional(Timestamp),
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
      assignedAt: Timestamp,
    },
    { title: 'LicensedUser' },
  ),
  { description: 'Sorted by assignedAt, oldest first' },
)
export const LicenseCount = Type.Object({ count: Type.Integer() }, { title: 'LicenseCount' })

export const GrantLicenseRequest = Type.Object(
  { userId: requiredUserId, applicationId, licenseTypeId: Type.String() },
  { title: 'GrantLicenseRequest' },
)
export const RevokeLicenseRequest = Type.Object(
  { userId: requiredUserId, applicationId },
  { title: 'RevokeLicenseRequest' },
)

export const Assignment = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    licenseTypeId: Type.String(),
    licenseTypeName: Type.String(),
    assignedAt: Timestamp,
  },
  { title: 'LicenseAssignment' },
)
export type Assignment = Static<typeof Assignment>

const MAX_BULK_ROWS = 500

export const BulkGrantRequest = Type.Object(
  {
    grants: Type.Array(Type.Object({ userId: Type.String(), applicationId, licenseTypeId: Type.String() }), {
      minItems: 1,
      maxItems: MAX_BULK_ROWS,
    }),
  },
  { title: 'BulkGrantRequest' },
)
export const BulkRevokeRequest = Type.Object(
  {
    revocations: Type.Array(Type.Object({ userId: Type.String(), applicationId }), {
      minItems: 1,
      maxItems: MAX_BULK_ROWS,
    }),
  },
  { title: 'BulkRevokeRequest' },
)

const rowResult = {
  userId: Type.String(),
  statusCode: Type.Integer({
    description: 'The status code that a request for this row alone would have had',
  }),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  details: Type.Optional(Type.Unknown()),
}
export const BulkReply = Type.Object(
  {
    done: Type.Integer(),
    failed: Type.Integer(),
    results: Type.Array(Type.Object({ ...rowResult, license: Type.Optional(Assignment) }), {
      description: 'One result for each row, in the order of the request',
    }),
  },
  { title: 'BulkLicenseResponse' },
)
export type BulkReply = Static<typeof BulkReply>

export const Explanation = Type.Object(
  {
    hasLicense: Type.Boolean(),
    hasFeature: Type.Optional(Type.Boolean({ description: 'Only if a featureKey was sent' })),
    decidedBy: Type.Enum(['TENANT', 'USER', 'MEMBERSHIP', 'SUBSCRIPTION', 'SEAT', 'FEATURE']),
    message: Type.String({ description: 'One sentence for display' }),
    steps: Type.Array(
      Type.Object({
        check: Type.Enum(['TENANT', 'USER', 'MEMBERSHIP', 'MFA_POLICY', 'SUBSCRIPTION', 'SEAT', 'FEATURE']),
        ok: Type.Boolean(),
        detail: Type.String(),
      }),
      {
        description:
          'In the order of evaluation. TENANT is only listed if it is suspended. MFA_POLICY affects tokens, not licenses.',
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
      { description: 'The API call that would change the result, if there is one' },
    ),
  },
  { title: 'LicenseExplanation' },
)
export type Explanation = Static<typeof Explanation>
