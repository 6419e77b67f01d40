import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

export const baseUrl = inject('baseUrl')

/** No server listens there: the tests read redirects but do not follow them to other sites. */
export const CALLBACK = 'http://localhost:8080/callback'
export const POST_LOGOUT_URI = 'http://localhost:8080/'

/** Form or query parameters. A list repeats the parameter; undefined omits it. */
export type Fields = Record<string, string | string[] | undefined>

export interface ApiResponse<Body = Record<string, unknown>> {
  status: number
  headers: Headers
  body: Body
}

/** Caches a value for five minutes, which is less than the lifetime of an access token. */
export function cached<T>(create: () => Promise<T>): () => Promise<T> {
  let entry: { value: Promise<T>; until: number } | undefined
  return () => {
    if (!entry || Date.now() > entry.until) entry = { value: create(), until: Date.now() + CACHE_MS }
    entry.value.catch(() => {
      entry = undefined
    })
    return entry.value
  }
}

const CACHE_MS = 300_000

/** A unique name, because all suites share one service. */
export const unique = (word: string) => `${word}-${randomBytes(8).toString('hex')}`

export function encodeFields(fields: Fields): URLSearchParams {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value ?? []].flat()) encoded.append(name, item)
  }
  return encoded
}

export async function readResponse<Body = Record<string, unknown>>(response: Response): Promise<ApiResponse<Body>> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: parse(text) as Body }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
