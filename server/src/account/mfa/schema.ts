import { Type } from 'typebox'

const Password = Type.String({ maxLength: 4096 })

export const MfaOverview = Type.Object(
  {
    mfaEnabled: Type.Boolean({ description: 'A second factor is asked for at sign-in' }),
    totp: Type.Boolean({ description: 'An authenticator app is set up' }),
    passkeys: Type.Integer({ minimum: 0, maximum: 1000 }),
    recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: 1000 }),
  },
  { title: 'MfaOverview' },
)

export const BeginTotpRequest = Type.Optional(
  Type.Object(
    {
      password: Type.Optional(
        Type.String({
          maxLength: 4096,
          description: 'Needed with an access token, and when the sign-in is more than an hour old',
        }),
      ),
    },
    { title: 'BeginTotpRequest' },
  ),
)

export const TotpEnrollment = Type.Object(
  {
    secret: Type.String({ description: 'In base32, to be typed in by hand', examples: ['JBSWY3DPEHPK3PXP'] }),
    otpauthUrl: Type.String(),
    qrCode: Type.String({ description: 'The address as a picture: a data: URL' }),
  },
  { title: 'TotpEnrollment' },
)

export const ConfirmTotpRequest = Type.Object(
  { code: Type.String({ maxLength: 100 }) },
  { title: 'ConfirmTotpRequest' },
)

export const RecoveryCodes = Type.Object(
  { recoveryCodes: Type.Array(Type.String(), { description: 'Shown this once; each is good once' }) },
  { title: 'RecoveryCodes' },
)

/** A person without a password omits it and must have signed in within the last minutes. */
export const ConfirmPasswordRequest = Type.Optional(
  Type.Object({ password: Type.Optional(Password) }, { title: 'ConfirmPasswordRequest' }),
)
