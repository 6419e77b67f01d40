import type { Ctx } from '../../context.ts'
import { clearCookie, readCookie, setCookie } from '../../http/request/cookies.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { sealText, unsealText } from '../../lib/seal.ts'
import { hashSecret } from '../../lib/secrets.ts'

const COOKIE = 'latchkey_code'
/** How long a code can be used. */
export const CODE_SECONDS = 10 * 60

/** What the browser that asked for a code keeps, encrypted. */
export interface AskingBrowser {
  secret: string
  /** The address as it was typed, in canonical form. It may have no account. */
  email: string
}

export function findAskingBrowser({ config, keys }: Ctx, { request }: Exchange): AskingBrowser | undefined {
  const text = unsealText(keys, COOKIE, readCookie(request, config, COOKIE))
  return text === undefined ? undefined : (JSON.parse(text) as AskingBrowser)
}

export const saveAskingBrowser = ({ config, keys }: Ctx, { reply }: Exchange, asking: AskingBrowser): void =>
  setCookie(reply, config, {
    name: COOKIE,
    value: sealText(keys, COOKIE, JSON.stringify(asking)),
    maxAgeSeconds: CODE_SECONDS,
  })

export function clearAskingBrowser({ config }: Ctx, { request, reply }: Exchange): void {
  if (readCookie(request, config, COOKIE) !== undefined) clearCookie(reply, config, COOKIE)
}

export const toBrowserHash = ({ secret }: AskingBrowser): Buffer => hashSecret(secret)

/** Six digits alone could be guessed from their hash. The secret is only in the cookie. */
export const toCodeHash = ({ secret }: AskingBrowser, code: string): Buffer => hashSecret(`${secret}:${code}`)
