import { Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { defineActions } from './definition.ts'

/** Absent in entries of earlier releases, which had only RS256. */
const algorithm = Type.Optional(Type.String())
const scheduledKey = Type.Object(
  { kid: Type.String(), algorithm, activatesAt: Timestamp },
  { additionalProperties: false },
)
const KID = 'nOg6hnBkVFz5s3ZyXrQvU2qkTqfGmZb9vVvJd8yQm1o'

export const signingKeyActions = defineActions({
  'signing_key.created': {
    summary: 'A signing key was created.',
    details: scheduledKey,
    example: { kid: KID, algorithm: 'RS256', activatesAt: '2026-03-01T09:15:00.000Z' },
  },
  'signing_key.brought_forward': {
    summary: 'A scheduled signing key was activated early.',
    details: scheduledKey,
    example: { kid: KID, algorithm: 'RS256', activatesAt: '2026-03-01T09:01:00.000Z' },
  },
  'signing_key.withdrawn': {
    summary: 'A signing key was withdrawn. Everything signed with it is invalid.',
    details: Type.Object({ kid: Type.String(), algorithm }, { additionalProperties: false }),
    example: { kid: KID, algorithm: 'RS256' },
  },
})
