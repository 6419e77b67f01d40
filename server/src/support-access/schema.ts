import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'

export const ByMember = Type.Object({ id: Type.String(), userId: Type.String() })

export const StartSupportAccessRequest = Type.Object(
  {
    reason: Type.String({
      maxLength: 1_000,
      description: '10 to 500 characters on one line after trimming; shown to the member and the owners',
    }),
    minutes: Type.Integer({ minimum: 1, maximum: 60, default: 30, description: 'How long it lasts' }),
  },
  { title: 'StartSupportAccessRequest' },
)
export type StartSupportAccessRequest = Static<typeof StartSupportAccessRequest>

export const StartedSupportAccess = Type.Object(
  {
    id: Type.String({ description: 'The id of the session, `sid` in its tokens' }),
    url: Type.String({
      description: 'Open it once, in the browser in which the operator is signed in. It works nowhere else',
    }),
    endsAt: Timestamp,
  },
  { title: 'StartedSupportAccess' },
)
export type StartedSupportAccess = Static<typeof StartedSupportAccess>
