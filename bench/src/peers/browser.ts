/** As much of a browser as signing in needs: it keeps cookies and follows redirects. */
export interface Browser {
  get(url: string): Promise<Response>
  /** Goes where it is sent, until that is outside; gives the address there, which is not opened. */
  follow(url: string, outside: string): Promise<URL>
}

/** More redirects than any sign-in takes. */
const MOST_REDIRECTS = 10

export function openBrowser(): Browser {
  const cookies = new Map<string, string>()

  async function get(url: string): Promise<Response> {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookieHeader(cookies) } })
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    return response
  }

  async function follow(url: string, outside: string): Promise<URL> {
    let next = new URL(url)
    for (let step = 0; step < MOST_REDIRECTS; step++) {
      const response = await get(next.href)
      const location = response.headers.get('location')
      if (!location) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`)
      next = new URL(location, next)
      if (next.href.startsWith(outside)) return next
    }
    throw new Error(`${url} led nowhere in ${MOST_REDIRECTS} redirects.`)
  }

  return { get, follow }
}

export const cookieHeader = (cookies: Map<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Takes over what a Set-Cookie line says. Paths are not looked at: names differ where paths do. */
export function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const at = pair.indexOf('=')
  const name = pair.slice(0, at)
  const value = pair.slice(at + 1)
  const isGone = value === '' || attributes.some((text) => /^\s*expires=thu, 01 jan 1970/i.test(text))
  if (isGone) cookies.delete(name)
  else cookies.set(name, value)
}
