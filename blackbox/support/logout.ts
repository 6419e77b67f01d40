import type { Browser } from './browser.ts'
import { authorize, type Client, readRedirect } from './oauth.ts'
import { followRedirects, pressButton, readForms } from './pages.ts'
import { encodeFields, type Fields } from './service.ts'

/** Logs out and returns the last response: a redirect to the client, or a page of the service. */
export async function logOut(browser: Browser, fields: Fields, method = 'GET'): Promise<Response> {
  const path = '/api/oauth/logout'
  const first = method === 'GET' ? browser.get(`${path}?${encodeFields(fields)}`) : browser.post(path, fields)
  return followRedirects(browser, await first)
}

/** Finds the form of the confirmation page. */
export async function findLogoutForm(page: Response) {
  const forms = await readForms(page)
  return forms.find((form) => form.buttons.some(({ label }) => CONFIRM.test(label)))
}

export async function confirmLogout(browser: Browser, page: Response): Promise<Response> {
  const form = await findLogoutForm(page)
  if (!form) throw new Error(`no way to confirm at ${page.url}: ${page.status}`)
  return followRedirects(browser, await pressButton(browser, form, CONFIRM))
}

/** Checks with prompt=none, as a client can. */
export async function isSignedIn(browser: Browser, client: Client): Promise<boolean> {
  const { code, error } = readRedirect(await authorize(browser, client, { prompt: 'none' }))
  if (!code && error !== 'login_required') throw new Error(`neither signed in nor out: ${error}`)
  return code !== undefined
}

const CONFIRM = /log ?out|sign ?out|yes|confirm/i
