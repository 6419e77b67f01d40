import {
  type Authenticator,
  type CreationOptions,
  type Deviation,
  newAuthenticator,
  type RequestOptions,
} from '../../server/test/support/authenticator.ts'
import { type AccountTokens, callAs } from './account.ts'
import type { Browser } from './browser.ts'
import { type ApiResponse, baseUrl } from './service.ts'
import { postAuth } from './sign-in.ts'

export const PASSKEYS = '/api/users/me/mfa/passkeys'

/** A device that can store a passkey for this service. */
export const newDevice = (): Authenticator => newAuthenticator(new URL(baseUrl).origin)

/** The options for `navigator.credentials.create`. */
export async function getCreationOptions(tokens: AccountTokens): Promise<CreationOptions> {
  const { status, body } = await callAs(tokens, 'POST', `${PASSKEYS}/options`, { password: tokens.password })
  if (status !== 200) throw new Error(`passkeys/options: ${status} ${JSON.stringify(body)}`)
  return body as unknown as CreationOptions
}

/** Creates a passkey on the device and registers it. */
export const addPasskey = async (
  tokens: AccountTokens,
  device: Authenticator,
  { twist = {}, name }: { twist?: Deviation; name?: string } = {},
): Promise<ApiResponse> =>
  callAs(tokens, 'POST', PASSKEYS, { ...device.create(await getCreationOptions(tokens), twist), name })

/** A device with a registered passkey of the account. */
export async function newPasskey(
  tokens: AccountTokens,
): Promise<{ device: Authenticator; id: string; recoveryCodes: string[] }> {
  const device = newDevice()
  const { status, body } = await addPasskey(tokens, device)
  if (status !== 201) throw new Error(`passkeys: ${status} ${JSON.stringify(body)}`)
  return { device, id: String(body.id), recoveryCodes: (body.recoveryCodes ?? []) as string[] }
}

/** The options for `navigator.credentials.get`. */
export async function getRequestOptions(browser: Browser, body: object = {}): Promise<RequestOptions> {
  const response = await postAuth(browser, 'passkey/options', body)
  if (response.status !== 200) throw new Error(`passkey/options: ${response.status} ${JSON.stringify(response.body)}`)
  return response.body as unknown as RequestOptions
}

/** Signs in with the passkey of the device, or uses it as second factor. */
export const usePasskey = async (
  browser: Browser,
  device: Authenticator,
  twist: Deviation = {},
): Promise<ApiResponse> => postAuth(browser, 'passkey', device.get(await getRequestOptions(browser), twist))
