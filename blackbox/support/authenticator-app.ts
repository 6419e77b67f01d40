import { setTimeout as sleep } from 'node:timers/promises'
import { totpCode } from '../../server/test/support/totp.ts'
import { callAs, type HeldTokens } from './account.ts'

const STEP_MS = 30_000
/** A code this close to its end might be too old when it arrives. */
const MARGIN_MS = 5_000

/** An authenticator app. Each code is newer than the one before, for every code is good once. */
export interface App {
  secret: string
  nextCode(): Promise<string>
}

/** The codes before and after the present one are good too, so that three are to be had without waiting. */
export function newApp(secret: string): App {
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

/** Sets an authenticator app up for who holds the tokens. */
export async function addApp(tokens: HeldTokens): Promise<{ app: App; recoveryCodes: string[] }> {
  const begun = await callAs(tokens, 'POST', '/api/users/me/mfa/totp', { password: tokens.password })
  if (begun.status !== 200) throw new Error(`totp: ${begun.status} ${JSON.stringify(begun.body)}`)
  const app = newApp(String(begun.body.secret))
  const code = await app.nextCode()
  const { status, body } = await callAs(tokens, 'POST', '/api/users/me/mfa/totp/verify', { code })
  if (status !== 200) throw new Error(`totp/verify: ${status} ${JSON.stringify(body)}`)
  return { app, recoveryCodes: body.recoveryCodes as string[] }
}
