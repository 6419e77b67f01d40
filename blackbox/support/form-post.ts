import type { Browser } from './browser.ts'
import { authorizationRequest, authorize, type Client } from './oauth.ts'
import { readForms } from './pages.ts'
import { CALLBACK, type Fields } from './service.ts'

// The response mode form_post: the response is a page with a form that the browser posts to the client.

/** The parameters that the browser would post. Throws if the response is not a form for the client. */
export async function readPost(response: Response): Promise<Record<string, string>> {
  const [form, ...others] = response.status === 200 ? await readForms(response) : []
  if (form?.action !== CALLBACK || form.method !== 'post' || others.length > 0) {
    throw new Error(`not a form for the client: ${response.status} ${response.url}`)
  }
  return form.fields
}

export const postRequest = (client: Client, extra: Fields = {}): Fields =>
  authorizationRequest(client, { response_mode: 'form_post', ...extra })

/** Sends a request in a signed-in browser, and returns it with the response. */
export async function authorizeByPost(browser: Browser, client: Client, extra: Fields = {}) {
  const request = postRequest(client, extra)
  return { request, response: await readPost(await authorize(browser, client, request)) }
}
