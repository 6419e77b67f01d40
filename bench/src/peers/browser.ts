const MAX_REDIRECTS = 10

/**
 * Follows redirects like a browser without cookies, until one leads to a URL that starts with `outside`. Returns that URL
 * without opening it.
 */
export async function followRedirects(url: string, outside: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let next = new URL(url)
  for (let step = 0; step < MAX_REDIRECTS; step++) {
    const response = await fetch(next, { redirect: 'manual', headers: { cookie: cookieHeader(cookies) } })
    const location = response.headers.get('location')
    if (!location) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`)
    for (const line of response.headers.getSetCookie()) storeCookie(cookies, line)
    next = new URL(location, next)
    if (next.href.startsWith(outside)) return next
  }
  throw new Error(`${url} did not end after ${MAX_REDIRECTS} redirects.`)
}

const cookieHeader = (cookies: Map<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Applies a Set-Cookie line. The path is ignored: a sign-in never sets two cookies with one name. */
function storeCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const at = pair.indexOf('=')
  const isExpired = attributes.some((text) => /^\s*expires=thu, 01 jan 1970/i.test(text))
  if (isExpired) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}
