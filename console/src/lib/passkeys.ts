import type { Input, Reply } from '@latchkey/client'

export type CreationOptions = Reply<'POST /api/users/me/mfa/passkeys/options'>
export type NewCredential = Input<'POST /api/users/me/mfa/passkeys'>['body']

/** The browser created no passkey. `reason` is the name of its DOMException. */
export class PasskeyError extends Error {
  override readonly name = 'NoPasskey'
  readonly reason: string

  constructor(cause: unknown) {
    super('the browser created no passkey', { cause })
    this.reason = cause instanceof DOMException ? cause.name : 'unknown'
  }
}

export const supportsPasskeys = (): boolean => typeof PublicKeyCredential === 'function' && 'credentials' in navigator

/** Creates a passkey through the browser, which prompts the user. */
export async function createPasskey(options: CreationOptions): Promise<NewCredential> {
  try {
    const credential = await navigator.credentials.create({ publicKey: parseOptions(options) })
    if (!(credential instanceof PublicKeyCredential)) throw new Error('the browser returned no public key credential')
    return toNewCredential(credential)
  } catch (cause) {
    throw new PasskeyError(cause)
  }
}

/** Not every browser supports `parseCreationOptionsFromJSON` of WebAuthn Level 3 yet. */
function parseOptions(options: CreationOptions): PublicKeyCredentialCreationOptions {
  const native = PublicKeyCredential as { parseCreationOptionsFromJSON?: (json: unknown) => unknown }
  if (native.parseCreationOptionsFromJSON) {
    return native.parseCreationOptionsFromJSON(options) as PublicKeyCredentialCreationOptions
  }
  const { challenge, user, excludeCredentials = [] } = options
  return {
    ...options,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map((excluded) => ({ ...excluded, id: toBytes(excluded.id) })),
  } as PublicKeyCredentialCreationOptions
}

function toNewCredential({ id, rawId, response }: PublicKeyCredential): NewCredential {
  const attestation = response as AuthenticatorAttestationResponse
  return {
    id,
    rawId: toBase64Url(rawId),
    type: 'public-key',
    response: {
      clientDataJSON: toBase64Url(attestation.clientDataJSON),
      attestationObject: toBase64Url(attestation.attestationObject),
      ...('getTransports' in attestation && { transports: attestation.getTransports() }),
    },
  }
}

/** Decodes base64url (RFC 4648 §5). */
function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (char) => char.charCodeAt(0))
}

function toBase64Url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
