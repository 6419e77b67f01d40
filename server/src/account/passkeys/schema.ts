import { Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'

export const ReauthenticationRequest = Type.Optional(
  Type.Object(
    {
      password: Type.Optional(
        Type.String({
          maxLength: 4096,
          description:
            'Needed when the sign-in is more than an hour old and, to add a passkey, with an access token without the session cookie',
        }),
      ),
    },
    { title: 'ReauthenticationRequest' },
  ),
)

const Descriptor = Type.Object({
  id: Type.String(),
  type: Type.String(),
  transports: Type.Optional(Type.Array(Type.String())),
})

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn Level 3. */
export const PasskeyCreationOptions = Type.Object(
  {
    rp: Type.Object({ id: Type.Optional(Type.String()), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
    timeout: Type.Optional(Type.Integer({ description: 'Milliseconds' })),
    excludeCredentials: Type.Optional(Type.Array(Descriptor)),
    authenticatorSelection: Type.Optional(
      Type.Object({
        residentKey: Type.Optional(Type.String()),
        requireResidentKey: Type.Optional(Type.Boolean()),
        userVerification: Type.Optional(Type.String()),
      }),
    ),
    attestation: Type.Optional(Type.String()),
    extensions: Type.Optional(Type.Object({ credProps: Type.Optional(Type.Boolean()) })),
  },
  {
    title: 'PasskeyCreationOptions',
    description: 'For PublicKeyCredential.parseCreationOptionsFromJSON and navigator.credentials.create',
  },
)

/** The limits are above what authenticators produce. */
const Base64Url = (maxLength: number) => Type.String({ maxLength })

/** The members of RegistrationResponseJSON (WebAuthn Level 3 §5.1) that are read, and a name. */
export const AddPasskeyRequest = Type.Object(
  {
    id: Base64Url(2_000),
    rawId: Base64Url(2_000),
    type: Type.Literal('public-key'),
    response: Type.Object({
      clientDataJSON: Base64Url(8_000),
      attestationObject: Base64Url(32_000),
      transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
    }),
    name: Type.Optional(Type.String({ pattern: '\\S', maxLength: 100, description: 'To tell it from others' })),
  },
  { title: 'AddPasskeyRequest', description: 'The result of toJSON() of the new credential, and a name' },
)

const passkey = {
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Type.Union([Timestamp, Type.Null()]),
  backedUp: Type.Boolean({ description: 'The passkey is backed up and survives the loss of the device' }),
}

export const AddedPasskey = Type.Object(
  {
    ...passkey,
    recoveryCodes: Type.Optional(
      Type.Array(Type.String(), { description: 'With the first second factor; shown this once' }),
    ),
  },
  { title: 'AddedPasskey' },
)

export const PasskeyList = Type.Object({
  passkeys: Type.Array(Type.Object(passkey, { title: 'Passkey' })),
})

export const ByPasskeyId = Type.Object({ id: Type.String() })
