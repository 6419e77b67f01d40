import type { Input, Reply } from 'latchkey-sdk'

export type CreationOptions = Reply<'POST /api/users/me/mfa/passkeys/options'>
export type NewCredential = Input<'POST /api/users/me/mfa/passkeys'>['body']

/** The browser made no passkey; `reason` is its own name for why. */
export class NoPasskey extends Error {
  override readonly name = 'NoPasskey'
  readonly reason: string

  constructor(cause: unknown) {
    super('no passkey was made', { cause })
    this.reason = cause instanceof DOMException ? cause.name : 'unknown'
  }
}

export const canMakePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'credentials' in navigator

/** Has the browser make a passkey, which asks the person. */
export async function makePasskey(options: CreationOptions): Promise<NewCredential> {
  try {
    const credential = await navigator.credentials.create({ publicKey: parse(options) })
    if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser answered no passkey')
    return describe(credential)
  } catch (cause) {
    throw new NoPasskey(cause)
  }
}

/** WebAuthn Level 3 has a reader of its own, which not every browser knows yet. */
function parse(options: CreationOptions): PublicKeyCredentialCreationOptions {
  const known = PublicKeyCredential as { parseCreationOptionsFromJSON?: (json: unknown) => unknown }
  if (known.parseCreationOptionsFromJSON) {
    return known.parseCreationOptionsFromJSON(options) as PublicKeyCredentialCreationOptions
  }
  const { challenge, user, excludeCredentials = [] } = options
  return {
    ...options,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map((known) => ({ ...known, id: toBytes(known.id) })),
  } as PublicKeyCredentialCreationOptions
}

function describe({ id, rawId, response }: PublicKeyCredential): NewCredential {
  const made = response as AuthenticatorAttestationResponse
  return {
    id,
    rawId: toText(rawId),
    type: 'public-key',
    response: {
      clientDataJSON: toText(made.clientDataJSON),
      attestationObject: toText(made.attestationObject),
      ...('getTransports' in made && { transports: made.getTransports() }),
    },
  }
}

/** Base64url (RFC 4648 §5), which the wire speaks and browsers do not. */
function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
