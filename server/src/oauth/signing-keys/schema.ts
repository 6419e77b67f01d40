import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/pagination.ts'

const Moment = Type.String({ format: 'date-time' })

/** What everybody may know of a key; its halves are the business of the key set and of the service. */
export const SigningKeyBody = Type.Object(
  {
    kid: Type.String({ description: 'Its name in the key set and in the header of every token' }),
    alg: Type.Literal('RS256'),
    state: Type.Enum(['upcoming', 'signing', 'published', 'retired'], {
      description:
        'upcoming: published, and will sign. signing: signs now. published: signs no more, and its tokens are good. retired: its tokens have run out',
    }),
    createdAt: Moment,
    activatesAt: Type.String({ format: 'date-time', description: 'When it signs from' }),
    retiresAt: Type.Union([Moment, Type.Null()], {
      description: 'When its last token has run out; null while no other key follows it',
    }),
  },
  { title: 'SigningKey' },
)
export type SigningKeyBody = Static<typeof SigningKeyBody>

export const KeyQuery = Type.Object(pageQuery)
export const SigningKeyPage = Type.Object({ keys: Type.Array(SigningKeyBody), pagination: Pagination })

export const RotationRequest = Type.Object(
  {
    leaked: Type.Optional(
      Type.Boolean({ description: 'Withdraw every key before it at once: all access tokens are void' }),
    ),
    immediately: Type.Optional(
      Type.Boolean({ description: 'Let it sign at once, not a quarter of an hour after it was published' }),
    ),
  },
  { title: 'RotationRequest' },
)
