/** Where a visit has led. */
export interface Stop {
  status: number
  /** The address that was asked for last, or that nobody of ours answers. */
  url: string
  text: string
  /** Every address on the way. */
  trail: string[]
}

/** A browser without a screen: it keeps cookies and follows redirects between the service and the providers. */
export interface Visitor {
  go(url: string, until?: (url: string) => boolean): Promise<Stop>
  /** The cookies for an origin, as a header. */
  cookiesFor(origin: string): string
  /** Takes cookies that were got otherwise. */
  take(origin: string, header: string): void
  forget(origin: string): void
}

const MOST_REDIRECTS = 20

/** `known`: the origins that may be asked; a redirect anywhere else ends the visit. */
export function createVisitor(known: string[]): Visitor {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }
  const cookiesFor = (origin: string) =>
    [...jarOf(origin)].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (origin: string, cookie: string) => {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
    const cut = pair.indexOf('=')
    const isGone = attributes.some(
      (part) => /^max-age=0$/i.test(part) || /^expires=thu, 01 jan 1970/i.test(part),
    )
    if (isGone) jarOf(origin).delete(pair.slice(0, cut))
    else jarOf(origin).set(pair.slice(0, cut), pair.slice(cut + 1))
  }
  return {
    cookiesFor,
    take: (origin, header) => {
      for (const cookie of header.split('; ')) keep(origin, cookie)
    },
    forget: (origin) => void jars.delete(origin),
    async go(start, until = () => false) {
      const trail: string[] = []
      let url = start
      while (trail.length < MOST_REDIRECTS) {
        const { origin } = new URL(url)
        if (!known.includes(origin) || (trail.length > 0 && until(url)))
          return { status: 0, url, text: '', trail }
        trail.push(url)
        const response = await fetch(url, { headers: { cookie: cookiesFor(origin) }, redirect: 'manual' })
        for (const cookie of response.headers.getSetCookie()) keep(origin, cookie)
        const location = response.headers.get('location')
        if (location === null) return { status: response.status, url, text: await response.text(), trail }
        await response.body?.cancel()
        url = new URL(location, url).href
      }
      throw new Error(`too many redirects: ${trail.join(' → ')}`)
    },
  }
}
