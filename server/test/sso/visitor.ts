/** The end of a chain of redirects. */
export interface Stop {
  status: number
  /** The last URL requested, or the first one outside the known origins. */
  url: string
  text: string
  /** All URLs requested. */
  trail: string[]
}

/** An HTTP client with cookies that follows redirects between the service and the providers. */
export interface Visitor {
  go(url: string, until?: (url: string) => boolean): Promise<Stop>
  /** The cookies for an origin, as a header. */
  cookiesFor(origin: string): string
  /** Adds cookies from another response. */
  take(origin: string, header: string): void
  forget(origin: string): void
}

const MAX_REDIRECTS = 20

/** A redirect to an origin that is not in `knownOrigins` is not followed. */
export function createVisitor(knownOrigins: string[]): Visitor {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (origin: string) => {
    const jar = jars.get(origin) ?? new Map<string, string>()
    jars.set(origin, jar)
    return jar
  }
  const cookiesFor = (origin: string) => [...jarOf(origin)].map(([name, value]) => `${name}=${value}`).join('; ')
  const store = (origin: string, cookie: string) => {
    const [pair = '', ...attributes] = cookie.split(';').map((part) => part.trim())
    const separator = pair.indexOf('=')
    const isDeleted = attributes.some((part) => /^max-age=0$/i.test(part) || /^expires=thu, 01 jan 1970/i.test(part))
    if (isDeleted) jarOf(origin).delete(pair.slice(0, separator))
    else jarOf(origin).set(pair.slice(0, separator), pair.slice(separator + 1))
  }
  return {
    cookiesFor,
    take: (origin, header) => {
      for (const cookie of header.split('; ')) store(origin, cookie)
    },
    forget: (origin) => void jars.delete(origin),
    async go(start, until = () => false) {
      const trail: string[] = []
      let url = start
      while (trail.length < MAX_REDIRECTS) {
        const { origin } = new URL(url)
        if (!knownOrigins.includes(origin) || (trail.length > 0 && until(url)))
          return { status: 0, url, text: '', trail }
        trail.push(url)
        const response = await fetch(url, { headers: { cookie: cookiesFor(origin) }, redirect: 'manual' })
        for (const cookie of response.headers.getSetCookie()) store(origin, cookie)
        const location = response.headers.get('location')
        if (location === null) return { status: response.status, url, text: await response.text(), trail }
        await response.body?.cancel()
        url = new URL(location, url).href
      }
      throw new Error(`too many redirects: ${trail.join(' → ')}`)
    },
  }
}
