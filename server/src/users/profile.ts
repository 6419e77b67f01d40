import { type Static, Type } from 'typebox'
import { displayNameOf, type Named } from '../lib/display-name.ts'
import type { User } from './store.ts'

/** A person as the sign-in routes show them. */
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

export const toSignedInUser = (user: Named & Pick<User, 'id' | 'email_verified'>): SignedInUser => ({
  id: user.id,
  email: user.email,
  emailVerified: user.email_verified,
  displayName: displayNameOf(user),
  givenName: user.given_name,
  familyName: user.family_name,
})
