import { type Static, type TSchema, Type } from 'typebox'
import { CursorPagination, pageQuery } from '../http/routing/pagination.ts'
import { ActionResult, Timestamp } from '../http/routing/schema.ts'

const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Text = nullable(Type.String())

const userFields = {
  id: Type.String(),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  displayName: Type.String({ description: 'Made from the name or the address where none was chosen' }),
  givenName: Text,
  familyName: Text,
  superAdmin: Type.Boolean(),
  disabled: Type.Boolean(),
  passwordSignIn: Type.Boolean({ description: 'A password opens the account, if there is one' }),
  hasPassword: Type.Boolean(),
  mfaEnabled: Type.Boolean({ description: 'Has an authenticator app or a passkey' }),
  deletionRequestedAt: nullable(Timestamp),
  erasedAt: Type.Union([Timestamp, Type.Null()], { description: 'When the account will be erased' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  lastSignInAt: Type.Union([Timestamp, Type.Null()], {
    description: 'According to the stored sessions and devices',
  }),
}

export const UserBody = Type.Object(userFields, { title: 'User' })
export type UserBody = Static<typeof UserBody>

const Membership = Type.Object(
  {
    tenantId: Type.String(),
    tenantName: Type.String(),
    tenantSlug: Type.String(),
    role: Type.String({ description: 'owner, admin or member' }),
    status: Type.String({ description: 'ACTIVE, INVITED or SUSPENDED' }),
  },
  { title: 'UserMembership' },
)

export const UserDetails = Type.Object(
  {
    ...userFields,
    memberships: Type.Array(Membership, { description: 'By the name of the tenant' }),
    sessionCount: Type.Integer({ description: 'On how many devices they are signed in' }),
  },
  { title: 'UserDetails' },
)
export type UserDetails = Static<typeof UserDetails>

export const SORTS = ['createdAt', '-createdAt', 'email', '-email'] as const

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))

export const UserQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'Beginnings of an address, of words of a name, or, after @, of a domain; all of several words must match',
    }),
  ),
  sort: Type.Enum([...SORTS], { default: '-createdAt' }),
  after: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The `next` of the page before, instead of a page number',
    }),
  ),
  disabled: flag('Disabled, or not'),
  emailVerified: flag('With a confirmed address, or without'),
  superAdmin: flag('Super Admins, or all others'),
  deletionRequested: flag('About to be deleted, or not'),
  tenantId: Type.Optional(Type.String({ maxLength: 100, description: 'Who has joined this tenant' })),
})
export type UserQuery = Static<typeof UserQuery>

export const UserPage = Type.Object(
  {
    users: Type.Array(UserBody),
    pagination: CursorPagination,
  },
  { title: 'UserPage' },
)
export type UserPage = Static<typeof UserPage>

/** Names are trimmed before their length is checked, so the schema allows more. */
const name = (maxLength: number, suffix = '') =>
  Type.String({ maxLength: 1_000, description: `1 to ${maxLength} characters${suffix}` })
const flagField = (description: string) => Type.Boolean({ description })

export const NewUserBody = Type.Object(
  {
    email: Type.String({ maxLength: 1_000 }),
    givenName: Type.Optional(name(100)),
    familyName: Type.Optional(name(100)),
    displayName: Type.Optional(name(200)),
    password: Type.Optional(Type.String({ maxLength: 4_096 })),
    passwordHash: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'Instead of a password: its hash from another system' }),
    ),
    passwordSignIn: Type.Optional(flagField('Whether a password opens the account; true unless said')),
    superAdmin: Type.Optional(flagField('False unless said; true needs a confirmed address')),
    emailVerified: Type.Optional(
      flagField('True unless said: you vouch for the address. False needs a password or its hash'),
    ),
    sendPasswordLink: Type.Optional(
      flagField(
        'Mail a link to choose a password; unless said, true where none is given and one would open the account',
      ),
    ),
  },
  { title: 'CreateUserRequest' },
)
export type NewUserBody = Static<typeof NewUserBody>

export const UserChangeBody = Type.Partial(
  Type.Object({
    disabled: flagField('True ends every session and token at once'),
    givenName: name(100, '; an empty text clears it'),
    familyName: name(100, '; an empty text clears it'),
    displayName: name(200, '; an empty text clears it'),
    emailVerified: flagField('False requires a password, and is refused for a Super Admin'),
    superAdmin: flagField('True needs a confirmed address'),
    passwordSignIn: flagField('Whether a password opens the account; false needs a passkey or a linked account'),
  }),
  { title: 'UpdateUserRequest' },
)
export type UserChangeBody = Static<typeof UserChangeBody>

export const ByUserId = Type.Object({ id: Type.String() })
export const ByUserAndApplication = Type.Object({ id: Type.String(), applicationId: Type.String() })

export const EndedUserSessions = Type.Object(
  { ...ActionResult.properties, count: Type.Integer({ description: 'How many were ended' }) },
  { title: 'EndedUserSessions' },
)
