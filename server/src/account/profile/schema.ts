import { type Static, type TSchema, Type } from 'typebox'
import { LONGEST_ADDRESS } from '../../lib/profile-values.ts'

const Timestamp = Type.String({ format: 'date-time' })
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
  },
  { title: 'Profile' },
)
export type Profile = Static<typeof Profile>

/** The space around a name does not count, so the schema leaves room for some. */
const name = (most: number) =>
  Type.String({ maxLength: 1_000, description: `1 to ${most} characters; an empty text clears it` })
const url = Type.String({
  maxLength: LONGEST_ADDRESS,
  description: 'An http or https address; an empty text clears it',
})

/** What a person may say about themselves. Whatever else is sent is ignored. */
export const ProfileChange = Type.Partial(
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
  { title: 'ProfileChange' },
)
export type ProfileChange = Static<typeof ProfileChange>

export const ChangedProfile = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    displayName: Type.String(),
    givenName: Text,
    familyName: Text,
    middleName: Text,
    updatedAt: Timestamp,
  },
  { title: 'ChangedProfile' },
)
export type ChangedProfile = Static<typeof ChangedProfile>

export const Access = Type.Object(
  {
    superAdmin: Type.Boolean({ description: 'Whether you run this instance' }),
    hasPassword: Type.Boolean(),
    passwordSignIn: Type.Boolean({ description: 'Whether you may sign in with a password' }),
    providers: Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
      description: 'Outside providers that can be linked to an account',
    }),
  },
  { title: 'Access' },
)
export type Access = Static<typeof Access>
