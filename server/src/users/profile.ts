import { type Static, Type } from 'typebox'
import { type NameFields, toDisplayName } from '../lib/display-name.ts'
import type { User } from './store.ts'

/** The user in responses of the sign-in routes. */
export const SignedInUser = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    displayName: Type.String(),
    givenName: Type.Union([Type.String(), Type.Null()]),
    familyName: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'SignedInUser' },
)
export type SignedInUser = Static<typeof SignedInUser>

export const toSignedInUser = (user: NameFields & Pick<User, 'id' | 'email_verified'>): SignedInUser => ({
  id: user.id,
  email: user.email,
  emailVerified: user.email_verified,
  displayName: toDisplayName(user),
  givenName: user.given_name,
  familyName: user.family_name,
})
