import { setTimeout as sleep } from 'node:timers/promises'
import { totpCode } from '../../server/test/support/totp.ts'
import { type AccountTokens, callAs } from './account.ts'

const STEP_MS = 30_000
/** A code that expires sooner could be refused on arrival. */
const MARGIN_MS = 5_000

/** Each code is newer than the previous one, because a code works once. */
export interface AuthenticatorApp {
  secret: string
  nextCode(): Promise<string>
}

/** The previous and the next code are also accepted, so three codes are available without waiting. */
export function newAuthenticatorApp(secret: string): AuthenticatorApp {
  let last = 0
  const stepAt = (moment: number) => Math.floor(moment / STEP_MS)
  return {
    secret,
    async nextCode() {
      last = Math.max(last + 1, stepAt(Date.now() + MARGIN_MS) - 1)
      const early = (last - 1) * STEP_MS - Date.now()
      if (early > 0) await sleep(early)
      return totpCode(secret, new Date(last * STEP_MS))
    },
  }
}

/** Sets up an authenticator app for the account. */
export async function addAuthenticatorApp(
  tokens: AccountTokens,
): Promise<{ app: AuthenticatorApp; recoveryCodes: string[] }> {
  const begun = await callAs(tokens, 'POST', '/api/users/me/mfa/totp', { password: tokens.password })
  if (begun.status !== 200) throw new Error(`totp: ${begun.status} ${JSON.stringify(begun.body)}`)
  const app = newAuthenticatorApp(String(begun.body.secret))
  const code = await app.nextCode()
  const { status, body } = await callAs(tokens, 'POST', '/api/users/me/mfa/totp/verify', { code })
  if (status !== 200) throw new Error(`totp/verify: ${status} ${JSON.stringify(body)}`)
  return { app, recoveryCodes: body.recoveryCodes as string[] }
}
