import { type Static, type TSchema, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { MAX_WEB_ADDRESS_LENGTH } from '../../lib/profile-values.ts'

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Text = nullable(Type.String())

const Membership = Type.Object(
  {
    tenantId: Type.String(),
    tenantName: Type.String(),
    tenantSlug: Type.String(),
    role: Type.String({ description: 'owner, admin or member' }),
    status: Type.String({ description: 'ACTIVE, INVITED or SUSPENDED' }),
  },
  { title: 'OwnMembership' },
)

export const Profile = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    username: Text,
    displayName: Type.String({ description: 'Made from the name or the address where none was chosen' }),
    givenName: Text,
    familyName: Text,
    middleName: Text,
    nickname: Text,
    pictureUrl: Text,
    website: Text,
    gender: Text,
    birthdate: nullable(Type.String({ description: 'YYYY-MM-DD' })),
    zoneinfo: Type.String({ description: 'An IANA time zone' }),
    locale: Type.String({ description: 'A language tag' }),
    phone: Text,
    phoneVerified: Type.Boolean(),
    mfaEnabled: Type.Boolean({
      description: 'Signing in takes a second factor, or may be done with a passkey',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    memberships: Type.Array(Membership, { description: 'By the name of the tenant' }),
    supportAccess: Type.Optional(
      Type.Object(
        {
          operatorId: Type.String(),
          operatorName: Type.String(),
          tenantId: Type.String(),
          tenantName: Type.String(),
          endsAt: Timestamp,
        },
        { title: 'SupportAccess', description: 'The operator who acts as you with this token; otherwise left out' },
      ),
    ),
  },
  { title: 'Profile' },
)
export type Profile = Static<typeof Profile>

/** Names are trimmed before their length is checked, so the schema allows more. */
const name = (maxLength: number) =>
  Type.String({ maxLength: 1_000, description: `1 to ${maxLength} characters; an empty text clears it` })
const url = Type.String({
  maxLength: MAX_WEB_ADDRESS_LENGTH,
  description: 'An http or https address; an empty text clears it',
})

/** Other properties are ignored. */
export const UpdateProfileRequest = Type.Partial(
  Type.Object({
    displayName: name(200),
    givenName: name(100),
    familyName: name(100),
    middleName: name(100),
    nickname: name(100),
    pictureUrl: url,
    website: url,
    gender: name(100),
    birthdate: Type.String({ maxLength: 100, description: 'A date, YYYY-MM-DD; an empty text clears it' }),
    zoneinfo: Type.String({ maxLength: 100, description: 'An IANA time zone such as Europe/Berlin' }),
    locale: Type.String({ maxLength: 100, description: 'A language tag such as de-DE' }),
  }),
  { title: 'UpdateProfileRequest' },
)
export type UpdateProfileRequest = Static<typeof UpdateProfileRequest>

export const UpdatedProfile = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    displayName: Type.String(),
    givenName: Text,
    familyName: Text,
    middleName: Text,
    updatedAt: Timestamp,
  },
  { title: 'UpdatedProfile' },
)
export type UpdatedProfile = Static<typeof UpdatedProfile>

export const AccountAccess = Type.Object(
  {
    superAdmin: Type.Boolean({ description: 'Whether you run this instance' }),
    hasPassword: Type.Boolean(),
    passwordSignIn: Type.Boolean({ description: 'Whether you may sign in with a password' }),
    providers: Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
      description: 'Outside providers that can be linked to an account',
    }),
  },
  { title: 'AccountAccess' },
)
export type AccountAccess = Static<typeof AccountAccess>
