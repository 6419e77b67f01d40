import { CALLBACK } from './latchkey/seed.ts'
import type { HttpRequest, Scenario } from './row.ts'

interface PushOptions {
  /** Its response has a `request_uri`. */
  push: HttpRequest
  /** Its response is a redirect to the client with a new code. */
  toAuthorize(requestUri: string): HttpRequest
}

/** Pushes a request and uses it, alternately. */
export function createPushScenario({ push, toAuthorize }: PushOptions): Scenario {
  let pushed = ''
  let lastCode = ''
  return {
    request: () => (pushed === '' ? push : toAuthorize(pushed)),
    check({ status, body, location }) {
      if (pushed === '') {
        pushed = status === 201 ? JSON.parse(body).request_uri : ''
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
