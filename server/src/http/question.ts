import type { IncomingMessage } from 'node:http'

/** What is asked, and by whom. */

/** Headers that change nothing in an answer. */
const HARMLESS = new Set(
  [
    ...['Host', 'Connection', 'User-Agent', 'Accept', 'Accept-Encoding', 'Accept-Language', 'Keep-Alive'],
    ...[
      'Sec-Fetch-Mode',
      'Cache-Control',
      'Pragma',
      'X-Request-Id',
      'X-Real-IP',
      'Via',
      'Forwarded',
      'X-Forwarded-For',
    ],
    ...['X-Forwarded-Proto', 'X-Forwarded-Host', 'X-Forwarded-Port', 'traceparent', 'tracestate'],
  ].flatMap((name) => [name, name.toLowerCase()]),
)

/** Longer than those of all such questions. */
const LONGEST_ADDRESS = 1024
/** As programs write it, and as browsers and fetch do. */
const FORMS = ['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded;charset=UTF-8']
/** Longer bodies are not waited for. */
const SHORT = /^\d{1,4}$/

export interface Question {
  /** Where it is asked and how that ends by which it is asked: tokens differ there. To read all of it takes longer. */
  key: string
  authorization: string | undefined
}

/** So many characters at the end of a signature are not those of another. If they are, an answer is made anew. */
const TAIL = 24

/**
 * The address and the token of a request, whose body, if it has one, is a short form; undefined where anything else may
 * matter. The names of headers are as they came, because to look at all of them in one spelling takes as long as the rest.
 */
export function readQuestion({ method, url = '', rawHeaders }: IncomingMessage): Question | undefined {
  let authorization: string | undefined
  let type: string | undefined
  let length: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const value = rawHeaders[i + 1] ?? ''
    if (HARMLESS.has(name)) continue
    // Of two of the same, none can be told to be meant.
    if (isName(name, 'Authorization', 'authorization') && authorization === undefined) authorization = value
    else if (isName(name, 'Content-Type', 'content-type') && type === undefined) type = value
    else if (isName(name, 'Content-Length', 'content-length') && length === undefined) length = value
    else return undefined
  }
  const hasForm = type !== undefined && FORMS.includes(type) && length !== undefined && SHORT.test(length)
  const isFit = method === 'GET' ? type === undefined && length === undefined : hasForm
  if (!isFit || url.length > LONGEST_ADDRESS) return undefined
  return { key: `${method} ${url} ${authorization?.slice(-TAIL)}`, authorization }
}

/** The key of a question that is asked with a body. */
export const keyWith = ({ key }: Question, body: string): string => `${key} ${body.slice(-TAIL)}`

const isName = (name: string, ...spellings: string[]): boolean => spellings.includes(name)
