import { Type } from 'typebox'

export const PasskeyOptionsRequest = Type.Optional(
  Type.Object(
    {
      passwordless: Type.Optional(
        Type.Boolean({
          description: 'Ask for a passkey in place of a password, even of somebody who has given theirs just now',
        }),
      ),
    },
    { title: 'PasskeyOptionsRequest' },
  ),
)

/** PublicKeyCredentialRequestOptionsJSON of WebAuthn Level 3 §5.1.10. */
export const PasskeyRequestOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.Optional(Type.String()),
    timeout: Type.Optional(Type.Integer({ description: 'Milliseconds' })),
    allowCredentials: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String(),
          type: Type.String(),
          transports: Type.Optional(Type.Array(Type.String())),
        }),
        { description: 'Absent: any passkey will do' },
      ),
    ),
    userVerification: Type.Optional(Type.String()),
  },
  {
    title: 'PasskeyRequestOptions',
    description: 'For PublicKeyCredential.parseRequestOptionsFromJSON and navigator.credentials.get',
  },
)

/** Base64url. No authenticator sends longer values. */
const Bytes = (maxLength: number) => Type.String({ maxLength })

/** The parts of AuthenticationResponseJSON (WebAuthn Level 3 §5.1) that are read. */
export const PasskeySignInRequest = Type.Object(
  {
    id: Bytes(2_000),
    rawId: Bytes(2_000),
    type: Type.Literal('public-key'),
    response: Type.Object({
      clientDataJSON: Bytes(8_000),
      authenticatorData: Bytes(8_000),
      signature: Bytes(4_000),
      userHandle: Type.Optional(Type.Union([Bytes(200), Type.Null()])),
    }),
  },
  { title: 'PasskeySignInRequest', description: 'What toJSON() of the credential answers' },
)
