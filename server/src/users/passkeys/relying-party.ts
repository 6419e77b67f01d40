import type { Ctx } from '../../context.ts'

/** Who passkeys are made for: a host name, so that they work here and nowhere else. */
export interface RelyingParty {
  id: string
  name: string
  origin: string
}

export function relyingPartyOf({ config }: Ctx): RelyingParty {
  const { hostname, origin } = new URL(config.baseUrl)
  return { id: hostname, name: 'Latchkey', origin }
}
