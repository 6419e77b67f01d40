import type { Browser } from './browser.ts'
import { authorize, type Client, landing } from './oauth.ts'
import { follow, press, readForms } from './pages.ts'
import { encode, type Fields } from './service.ts'

/** Asks to be logged out and returns where that ends: at the client's address, or on a page of ours. */
export async function logOut(browser: Browser, fields: Fields, method = 'GET'): Promise<Response> {
  const path = '/api/oauth/logout'
  const first = method === 'GET' ? browser.get(`${path}?${encode(fields)}`) : browser.post(path, fields)
  return follow(browser, await first)
}

/** The page that asks whether to log out has one form that does it. */
export async function logoutForm(page: Response) {
  const forms = await readForms(page)
  return forms.find((form) => form.buttons.some(({ label }) => CONFIRM.test(label)))
}

export async function confirmLogout(browser: Browser, page: Response): Promise<Response> {
  const form = await logoutForm(page)
  if (!form) throw new Error(`no way to confirm at ${page.url}: ${page.status}`)
  return follow(browser, await press(browser, form, CONFIRM))
}

/** Whether the browser is signed in, as a client can tell: silently. */
export async function isSignedIn(browser: Browser, client: Client): Promise<boolean> {
  const { code, error } = landing(await authorize(browser, client, { prompt: 'none' }))
  if (!code && error !== 'login_required') throw new Error(`neither signed in nor out: ${error}`)
  return code !== undefined
}

const CONFIRM = /log ?out|sign ?out|yes|confirm/i
