import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/routing/pagination.ts'
import { Timestamp } from '../../http/routing/schema.ts'
import { SIGNING_ALGORITHMS } from '../../lib/signer.ts'

/** The public properties of a signing key, without key material. */
export const SigningKeyBody = Type.Object(
  {
    kid: Type.String({ description: 'Its name in the key set and in the header of every token' }),
    alg: Type.Enum(SIGNING_ALGORITHMS),
    state: Type.Enum(['upcoming', 'signing', 'published', 'retired'], {
      description:
        'upcoming: published, and will sign. signing: signs now. published: signs no more, and its tokens are good. retired: its tokens have run out',
    }),
    createdAt: Timestamp,
    activatesAt: Type.Unsafe<string>({ ...Timestamp, description: 'When it signs from' }),
    retiresAt: Type.Union([Timestamp, Type.Null()], {
      description: 'When its last token has run out; null while no other key follows it',
    }),
  },
  { title: 'SigningKey' },
)
export type SigningKeyBody = Static<typeof SigningKeyBody>

export const RotatedKeys = Type.Object(
  {
    ...SigningKeyBody.properties,
    others: Type.Optional(
      Type.Array(SigningKeyBody, { description: 'The keys of the other algorithms, if applications use any' }),
    ),
  },
  { title: 'RotatedSigningKeys' },
)

export const KeyQuery = Type.Object(pageQuery)
export const SigningKeyPage = Type.Object({ keys: Type.Array(SigningKeyBody), pagination: Pagination })

export const RotateKeyRequest = Type.Object(
  {
    leaked: Type.Optional(
      Type.Boolean({ description: 'Withdraw every key before it at once: all access tokens are void' }),
    ),
    immediately: Type.Optional(
      Type.Boolean({ description: 'Let it sign at once, not a quarter of an hour after it was published' }),
    ),
  },
  { title: 'RotateKeyRequest' },
)
