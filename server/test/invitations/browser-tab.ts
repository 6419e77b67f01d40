/** A minimal browser without scripts: it stores cookies, does not follow redirects, and submits the form of the page. */
export interface Tab {
  cookies(): string
  open(path: string): Promise<PageView>
  /** Submits the form of the last page, with these fields and its hidden ones. */
  submit(fields?: Record<string, string>, options?: SubmitOptions): Promise<PageView>
}

interface SubmitOptions {
  headers?: Record<string, string>
  /** Overrides the action of the form. */
  to?: string
}

export interface PageView {
  status: number
  headers: Headers
  /** The target of a redirect, else empty. */
  location: string
  html: string
  /** The visible text, without the header and the footer. */
  text: string
}

/** The headers are those of every request. */
export function openTab(url: string, cookie = '', common: Record<string, string> = {}): Tab {
  const jar = new Map(
    cookie
      .split('; ')
      .filter(Boolean)
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair]),
  )
  let last = { path: '/', html: '' }
  const cookies = () => [...jar.values()].join('; ')
  const send = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    const headers = { ...common, cookie: cookies(), ...init.headers }
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
    return { status: response.status, headers: response.headers, location, html, text: toText(html) }
  }
  return {
    cookies,
    open: (path) => send(path),
    submit: (fields = {}, { headers = {}, to } = {}) => {
      const [, form = ''] = /<form([\s\S]*?)<\/form>/.exec(last.html) ?? []
      const action = to ?? decodeEntities(/action="([^"]*)"/.exec(form)?.[1] ?? last.path)
      const hidden = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)]
      const own = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, decodeEntities(value)]))
      return send(action, { method: 'POST', headers, body: new URLSearchParams({ ...own, ...fields }) })
    },
  }
}

/** The CSRF token of the form. */
export const csrfOf = ({ html }: PageView): string => /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

const decodeEntities = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"')

const toText = (html: string) =>
  decodeEntities(
    html
      .replace(/^[\s\S]*<main/, '<main')
      .replace(/<\/main>[\s\S]*$/, '')
      .replaceAll(/<[^>]*>/g, ' '),
  )
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:])/g, '$1')
    .trim()
