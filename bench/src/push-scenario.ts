import { CALLBACK } from './latchkey/seed.ts'
import type { HttpRequest, Scenario } from './row.ts'

interface PushOptions {
  /** Its response has a `request_uri`. */
  push: HttpRequest
  /** Its response is a redirect to the client with a new code. */
  toAuthorize(requestUri: string): HttpRequest
}

/** A pushed request is valid for a minute. The next round of the same row begins later. */
const MAX_AGE_MS = 30_000

/** Pushes a request and uses it, alternately. */
export function createPushScenario({ push, toAuthorize }: PushOptions): Scenario {
  let pushed = ''
  let pushedAt = 0
  let lastCode = ''
  return {
    request() {
      if (performance.now() - pushedAt > MAX_AGE_MS) pushed = ''
      return pushed === '' ? push : toAuthorize(pushed)
    },
    check({ status, body, location }) {
      if (pushed === '') {
        pushed = status === 201 ? JSON.parse(body).request_uri : ''
        pushedAt = performance.now()
        return pushed === '' ? 'the request was not pushed' : undefined
      }
      pushed = ''
      const code = location?.startsWith(CALLBACK) ? new URL(location).searchParams.get('code') : null
      if (!code || code === lastCode) return `no new code: ${location}`
      lastCode = code
      return undefined
    },
  }
}
