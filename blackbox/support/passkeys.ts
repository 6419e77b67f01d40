import {
  type Authenticator,
  type CreationOptions,
  newAuthenticator,
  type RequestOptions,
  type Twist,
} from '../../server/test/support/authenticator.ts'
import { callAs, type HeldTokens } from './account.ts'
import type { Browser } from './browser.ts'
import { type Answer, base } from './service.ts'
import { ask } from './sign-in.ts'

export const PASSKEYS = '/api/users/me/mfa/passkeys'

/** A device that can hold a passkey for this service. */
export const newDevice = (): Authenticator => newAuthenticator(new URL(base).origin)

/** What the service asks a browser to make a passkey with. */
export async function begin(tokens: HeldTokens): Promise<CreationOptions> {
  const { status, body } = await callAs(tokens, 'POST', `${PASSKEYS}/options`, { password: tokens.password })
  if (status !== 200) throw new Error(`passkeys/options: ${status} ${JSON.stringify(body)}`)
  return body as unknown as CreationOptions
}

/** Makes a passkey on the device and adds it. */
export const add = async (
  tokens: HeldTokens,
  device: Authenticator,
  { twist = {}, name }: { twist?: Twist; name?: string } = {},
): Promise<Answer> => callAs(tokens, 'POST', PASSKEYS, { ...device.create(await begin(tokens), twist), name })

/** A device with a passkey of who holds the tokens. */
export async function newPasskey(
  tokens: HeldTokens,
): Promise<{ device: Authenticator; id: string; recoveryCodes: string[] }> {
  const device = newDevice()
  const { status, body } = await add(tokens, device)
  if (status !== 201) throw new Error(`passkeys: ${status} ${JSON.stringify(body)}`)
  return { device, id: String(body.id), recoveryCodes: (body.recoveryCodes ?? []) as string[] }
}

/** What the service asks a browser to show a passkey with. */
export async function challenge(browser: Browser, body: object = {}): Promise<RequestOptions> {
  const answer = await ask(browser, 'passkey/options', body)
  if (answer.status !== 200)
    throw new Error(`passkey/options: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as RequestOptions
}

/** Shows the passkey of the device to sign in, or to take the second step. */
export const show = async (browser: Browser, device: Authenticator, twist: Twist = {}): Promise<Answer> =>
  ask(browser, 'passkey', device.get(await challenge(browser), twist))
