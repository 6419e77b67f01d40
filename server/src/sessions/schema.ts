import { Type } from 'typebox'
import { SignedInUser } from '../users/profile.ts'

const Name = Type.String({ pattern: '\\S', maxLength: 100 })

export const LoginRequest = Type.Object(
  { email: Type.String({ maxLength: 1000 }), password: Type.String({ maxLength: 4096 }) },
  { title: 'LoginRequest' },
)

export const LoginResponse = Type.Object(
  { user: SignedInUser, session: Type.Object({ id: Type.String() }) },
  { title: 'LoginResponse' },
)

export const MfaRequired = Type.Object(
  {
    mfaRequired: Type.Literal(true),
    methods: Type.Array(Type.Union([Type.Literal('totp'), Type.Literal('passkey'), Type.Literal('recovery_code')]), {
      description: 'The methods that the user can choose from',
    }),
  },
  { title: 'MfaRequired' },
)

export const SignInReply = Type.Union([LoginResponse, MfaRequired])

export const VerifyMfaRequest = Type.Object(
  { code: Type.String({ maxLength: 100, description: 'Of the authenticator app, or a recovery code' }) },
  { title: 'VerifyMfaRequest' },
)

export const ForgotPasswordRequest = Type.Object(
  { email: Type.String({ maxLength: 1000 }) },
  { title: 'ForgotPasswordRequest' },
)

export const ResetPasswordRequest = Type.Object(
  { token: Type.String({ maxLength: 1000 }), newPassword: Type.String({ maxLength: 4096 }) },
  { title: 'ResetPasswordRequest' },
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

export const RegisterResponse = Type.Object({ user: SignedInUser }, { title: 'RegisterResponse' })

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
