import { openTab, type PageView, type Tab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { changeClient, type Tokens, token } from '../support/world.ts'

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export interface DeviceReply {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
  error?: string
}

/** Sets the switch of a client. */
export async function setDeviceFlow(service: TestService, clientId: string, deviceFlow: boolean): Promise<void> {
  await changeClient(service, clientId, { deviceFlow })
}

/** Asks for the codes of a device. */
export async function askForCodes(
  url: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: DeviceReply }> {
  const response = await fetch(`${url}/api/oauth/device_authorization`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ client_id: 'demo-spa', scope: 'openid email offline_access', ...form }),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as DeviceReply }
}

/** A token request of the device. */
export const poll = (
  url: string,
  { device_code }: DeviceReply,
  form: Record<string, string> = {},
): Promise<{ status: number; body: Tokens }> =>
  token(url, { grant_type: DEVICE_GRANT, client_id: 'demo-spa', device_code, ...form })

/** Follows redirects within the service. */
export async function follow(tab: Tab, first: PageView): Promise<PageView> {
  let page = first
  while (page.location.startsWith('/')) page = await tab.open(page.location)
  return page
}

/** Types the code on the page and follows to the next page. */
export async function typeCode(tab: Tab, user_code: string): Promise<PageView> {
  await tab.open('/device')
  return follow(tab, await tab.submit({ user_code }))
}

/** Decides in a signed-in browser, and returns the last page. */
export async function decide(
  url: string,
  cookie: string,
  { user_code }: DeviceReply,
  decision: 'allow' | 'refuse' = 'allow',
): Promise<PageView> {
  const tab = openTab(url, cookie)
  await typeCode(tab, user_code)
  return follow(tab, await tab.submit({ decision }))
}
