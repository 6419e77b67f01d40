import { Type } from 'typebox'
import { defineKinds } from './kind.ts'

const Moment = Type.String({ format: 'date-time' })
const turn = Type.Object({ kid: Type.String(), activatesAt: Moment }, { additionalProperties: false })
const KID = 'nOg6hnBkVFz5s3ZyXrQvU2qkTqfGmZb9vVvJd8yQm1o'

export const signingKeyKinds = defineKinds({
  'signing_key.created': {
    says: 'A key was made, which will sign tokens.',
    details: turn,
    example: { kid: KID, activatesAt: '2026-03-01T09:15:00.000Z' },
  },
  'signing_key.brought_forward': {
    says: 'A key that waited for its turn signs at once.',
    details: turn,
    example: { kid: KID, activatesAt: '2026-03-01T09:01:00.000Z' },
  },
  'signing_key.withdrawn': {
    says: 'A key was withdrawn, and with it everything it has signed.',
    details: Type.Object({ kid: Type.String() }, { additionalProperties: false }),
    example: { kid: KID },
  },
})
