/** More redirects than any sign-in takes. */
const MOST_REDIRECTS = 10

/**
 * Opens an address as a browser with an empty jar does, and goes where it is sent with the cookies that it is given, until
 * that leads outside. Gives the address there, which is not opened.
 */
export async function followRedirects(url: string, outside: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let next = new URL(url)
  for (let step = 0; step < MOST_REDIRECTS; step++) {
    const response = await fetch(next, { redirect: 'manual', headers: { cookie: cookieHeader(cookies) } })
    const location = response.headers.get('location')
    if (!location) throw new Error(`${next.pathname}: ${response.status} ${await response.text()}`)
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line)
    next = new URL(location, next)
    if (next.href.startsWith(outside)) return next
  }
  throw new Error(`${url} led nowhere in ${MOST_REDIRECTS} redirects.`)
}

const cookieHeader = (cookies: Map<string, string>) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Takes over what a Set-Cookie line says. Its path is not looked at: a sign-in sets no two cookies of one name. */
function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';')
  const at = pair.indexOf('=')
  const isGone = attributes.some((text) => /^\s*expires=thu, 01 jan 1970/i.test(text))
  if (isGone) cookies.delete(pair.slice(0, at))
  else cookies.set(pair.slice(0, at), pair.slice(at + 1))
}
