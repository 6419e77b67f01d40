import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'

export const base = inject('baseUrl')

/** Nobody listens there: the suites read where a redirect leads and never follow it out of the service. */
export const CALLBACK = 'http://localhost:8080/callback'
export const GOODBYE = 'http://localhost:8080/'

/** Form or query parameters; a list repeats the parameter, undefined leaves it out. */
export type Fields = Record<string, string | string[] | undefined>

export interface Answer<Body = Record<string, unknown>> {
  status: number
  headers: Headers
  body: Body
}

/** Keeps a value for five minutes, which is less than the lifetime of an access token. */
export function keepFresh<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | undefined
  return () => {
    if (!kept || Date.now() > kept.until) kept = { value: make(), until: Date.now() + FRESH_MS }
    kept.value.catch(() => {
      kept = undefined
    })
    return kept.value
  }
}

const FRESH_MS = 300_000

/** A name no other test uses, for the suites share one service. */
export const unique = (word: string) => `${word}-${randomBytes(8).toString('hex')}`

export function encode(fields: Fields): URLSearchParams {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const item of [value ?? []].flat()) encoded.append(name, item)
  }
  return encoded
}

export async function read<Body = Record<string, unknown>>(response: Response): Promise<Answer<Body>> {
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
