/** A browser without script: it keeps cookies, follows no redirect by itself, and sends the forms that it was shown. */
export interface Tab {
  cookies(): string
  open(path: string): Promise<Shown>
  /** Sends the form of the page that was shown last, with these fields beside its hidden ones. */
  press(fields?: Record<string, string>, sending?: Sending): Promise<Shown>
}

interface Sending {
  headers?: Record<string, string>
  /** Another page than the one it is meant for. */
  to?: string
}

export interface Shown {
  status: number
  headers: Headers
  /** Where it leads on, if it does. */
  location: string
  html: string
  /** What stands there to be read. */
  text: string
}

export function openTab(url: string, cookie = ''): Tab {
  const jar = new Map(
    cookie
      .split('; ')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair]),
  )
  let last = { path: '/', html: '' }
  const cookies = () => [...jar.values()].join('; ')
  const ask = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    const headers = { cookie: cookies(), ...init.headers }
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' })
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (/max-age=0/i.test(text)) jar.delete(name)
      else jar.set(name, pair)
    }
    const html = await response.text()
    if (html) last = { path, html }
    const location = response.headers.get('location') ?? ''
    return { status: response.status, headers: response.headers, location, html, text: readable(html) }
  }
  return {
    cookies,
    open: (path) => ask(path),
    press: (fields = {}, { headers = {}, to } = {}) => {
      const [, form = ''] = /<form([\s\S]*?)<\/form>/.exec(last.html) ?? []
      const action = to ?? decoded(/action="([^"]*)"/.exec(form)?.[1] ?? last.path)
      const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      const own = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decoded(value)]))
      return ask(action, { method: 'POST', headers, body: new URLSearchParams({ ...own, ...fields }) })
    },
  }
}

/** The token of the form on a page. */
export const csrfOf = ({ html }: Shown): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

const decoded = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')

const readable = (html: string) =>
  decoded(html.replace(/^[\s\S]*<main/, '<main').replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:])/g, '$1')
    .trim()
