import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../errors.ts'
import { postForm, type TokenResponse, toRefusal } from './token-requests.ts'

interface DeviceOptions {
  client: string
  clientSecret?: string
  tenant?: string
  scope: string
}

interface DeviceAuthorization {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

/** RFC 8628 §3.5. */
const SLOW_DOWN_SECONDS = 5

/** The device authorization grant: somebody allows the command in a browser, on this or another device. */
export async function obtainDeviceTokens(baseUrl: string, options: DeviceOptions): Promise<TokenResponse> {
  const { client, clientSecret, tenant, scope } = options
  const credentials = { client_id: client, client_secret: clientSecret }
  const response = await postForm(`${baseUrl}/api/oauth/device_authorization`, { ...credentials, tenant, scope })
  if (!response.ok) throw toRefusal('The device', await response.json())
  const device = (await response.json()) as DeviceAuthorization
  // The tokens alone go to the standard output.
  console.error(describeSteps(device))
  return poll(`${baseUrl}/api/oauth/token`, credentials, device)
}

const describeSteps = ({ verification_uri, verification_uri_complete, user_code, expires_in }: DeviceAuthorization) =>
  [
    `Open ${verification_uri} in a browser and type the code ${user_code}`,
    `or open ${verification_uri_complete}`,
    `Waiting for ${Math.round(expires_in / 60)} minutes …`,
  ].join('\n')

async function poll(
  url: string,
  credentials: { client_id: string; client_secret: string | undefined },
  { device_code, interval, expires_in }: DeviceAuthorization,
): Promise<TokenResponse> {
  const endsAt = Date.now() + expires_in * 1000
  let seconds = interval
  while (Date.now() < endsAt) {
    await sleep(seconds * 1000)
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    const response = await postForm(url, { ...credentials, grant_type, device_code })
    const body = (await response.json()) as TokenResponse
    if (response.ok) return body
    if (body.error === 'slow_down') seconds += SLOW_DOWN_SECONDS
    else if (body.error !== 'authorization_pending') throw toRefusal('The device', body)
  }
  throw new OperatorError('Nobody has allowed the device in time. Start again.')
}
