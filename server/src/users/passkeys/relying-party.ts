import type { Ctx } from '../../context.ts'

/** The WebAuthn relying party. Its id is the host name, so passkeys work only on this host. */
export interface RelyingParty {
  id: string
  name: string
  origin: string
}

export function relyingPartyOf({ config }: Ctx): RelyingParty {
  const { hostname, origin } = new URL(config.baseUrl)
  return { id: hostname, name: 'Latchkey', origin }
}
