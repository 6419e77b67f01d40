import { Type } from 'typebox'
import { SignedInUser } from '../users/profile.ts'

const Name = Type.String({ pattern: '\\S', maxLength: 100 })

export const LoginRequest = Type.Object(
  { email: Type.String({ maxLength: 1000 }), password: Type.String({ maxLength: 4096 }) },
  { title: 'LoginRequest' },
)

export const LoginReply = Type.Object(
  { user: SignedInUser, session: Type.Object({ id: Type.String() }) },
  { title: 'LoginReply' },
)

export const RegisterRequest = Type.Object(
  {
    email: Type.String({ maxLength: 1000 }),
    password: Type.String({ maxLength: 4096 }),
    givenName: Type.Optional(Name),
    familyName: Type.Optional(Name),
    displayName: Type.Optional(Type.String({ pattern: '\\S', maxLength: 200 })),
  },
  { title: 'RegisterRequest' },
)

export const RegisterReply = Type.Object({ user: SignedInUser }, { title: 'RegisterReply' })

export const VerifyEmailRequest = Type.Object(
  {
    token: Type.String({ maxLength: 1000 }),
    password: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'Needed when several people have signed up with the address',
      }),
    ),
  },
  { title: 'VerifyEmailRequest' },
)
