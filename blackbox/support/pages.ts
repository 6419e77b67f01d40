import type { Browser } from './browser.ts'
import { baseUrl } from './service.ts'

export interface Form {
  action: string
  method: string
  /** The values in the page, including hidden fields. */
  fields: Record<string, string>
  /** The names of all input fields. */
  inputs: string[]
  buttons: { name?: string; value: string; label: string }[]
}

interface Credentials {
  email: string
  password: string
}

const ALLOW = /allow|accept|continue|agree|authori[sz]e|confirm|yes/i

export const isOwnUrl = (url: URL) => url.origin === new URL(baseUrl).origin

/** Follows redirects of the service, until there is a page or a redirect to another site. */
export async function followRedirects(browser: Browser, first: Response): Promise<Response> {
  let response = first
  for (let step = 0; step < 10; step++) {
    const location = response.headers.get('location')
    const url = location && new URL(location, response.url)
    if (!url || !isOwnUrl(url)) return response
    response = await browser.get(url.href)
  }
  throw new Error(`redirected in circles, last at ${response.url}`)
}

/** Signs in and gives consent on the pages, until there is a redirect to another site. */
export async function completePages(browser: Browser, first: Response, person: Credentials): Promise<Response> {
  let response = await followRedirects(browser, first)
  for (let step = 0; step < 5 && !response.headers.has('location'); step++) {
    const forms = await readForms(response)
    const login = findLoginForm(forms)
    // A form for another site is the response to the client.
    const consent = forms.find((form) => isOwnUrl(new URL(form.action)) && findButton(form, ALLOW))
    if (login) response = await submitForm(browser, login, { email: person.email, password: person.password })
    else if (consent) response = await pressButton(browser, consent, ALLOW)
    else return response
    response = await followRedirects(browser, response)
  }
  return response
}

export const findLoginForm = (forms: Form[]) => forms.find((form) => form.inputs.includes('password'))

export async function isLoginPage(response: Response): Promise<boolean> {
  if (response.headers.has('location')) return false
  return findLoginForm(await readForms(response)) !== undefined
}

export function submitForm(browser: Browser, form: Form, fields: Record<string, string> = {}): Promise<Response> {
  const all = { ...form.fields, ...fields }
  if (form.method === 'post') return browser.post(form.action, all)
  return browser.get(`${form.action.split('?')[0]}?${new URLSearchParams(all)}`)
}

export const findButton = (form: Form, label: RegExp) =>
  form.buttons.find((button) => label.test(`${button.label} ${button.value}`))

export function pressButton(browser: Browser, form: Form, label: RegExp): Promise<Response> {
  const button = findButton(form, label)
  if (!button) throw new Error(`no button ${label} among ${JSON.stringify(form.buttons)}`)
  return submitForm(browser, form, button.name ? { [button.name]: button.value } : {})
}

/** Reads the forms of a page and keeps the body readable. The HTML of the service is simple enough for regular expressions. */
export async function readForms(response: Response): Promise<Form[]> {
  const html = await response.clone().text()
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, tag = '', inside = '']) => {
    const { action = '', method = 'get' } = attributes(tag)
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(([, input = '']) => attributes(input))
    const named = inputs.filter((input) => input.name && input.type !== 'submit')
    const filled = named.filter((input) => !/radio|checkbox/.test(input.type ?? '') || 'checked' in input)
    const buttons = [...inside.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)].map(([, button = '', label = '']) => {
      const { name, value = '' } = attributes(button)
      return { ...(name ? { name } : {}), value, label: label.replace(/<[^>]*>/g, ' ').trim() }
    })
    return {
      action: action ? new URL(action, response.url).href : response.url,
      method: method.toLowerCase(),
      fields: Object.fromEntries(filled.map((input) => [input.name ?? '', input.value ?? ''])),
      inputs: named.map((input) => input.name ?? ''),
      buttons,
    }
  })
}

function attributes(tag: string): Record<string, string> {
  const pairs = [...tag.matchAll(/([\w-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescapeHtml(value)]))
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescapeHtml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex || decimal) return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex ? 16 : 10))
    return ENTITIES[name] ?? whole
  })
}
