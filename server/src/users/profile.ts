import { type Static, Type } from 'typebox'
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

type Named = Pick<User, 'display_name' | 'given_name' | 'family_name' | 'email'>

/** What to call a person: what they chose, else their name, else the part of the address before the @. */
export function displayNameOf({ display_name, given_name, family_name, email }: Named): string {
  const full = [given_name, family_name].filter(Boolean).join(' ')
  return display_name ?? (full || (email.split('@')[0] ?? email))
}

export const toSignedInUser = (user: Named & Pick<User, 'id' | 'email_verified'>): SignedInUser => ({
  id: user.id,
  email: user.email,
  emailVerified: user.email_verified,
  displayName: displayNameOf(user),
  givenName: user.given_name,
  familyName: user.family_name,
})
