import type { Answer, Program, Request, Row, Talk } from '../row.ts'

/** What the program told of itself under this name. */
export function fact({ name, facts }: Program, key: string): string {
  const value = facts[key]
  if (value === undefined) throw new Error(`${name} did not tell its ${key}.`)
  return value
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

export const form = (path: string, fields: Record<string, string>, headers = {}): Request => ({
  ...{ method: 'POST', path, body: new URLSearchParams(fields).toString() },
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
})

export const json = (path: string, fields: Record<string, unknown>, headers = {}): Request => ({
  ...{ method: 'POST', path, body: JSON.stringify(fields) },
  headers: { 'content-type': 'application/json', ...headers },
})

export type Body = Record<string, unknown>

/** The body of an answer; one that is no object of JSON has nothing in it. */
export function bodyOf(answer: Answer): Body {
  try {
    const body = JSON.parse(answer.body)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** An answer is fine when it is 200 and its body is as it must be. */
export const expecting =
  (isRight: (body: Body) => boolean): Talk['check'] =>
  (answer) =>
    answer.status === 200 && isRight(bodyOf(answer)) ? undefined : complaint(answer)

export const complaint = ({ status, body }: Answer): string => `${status} ${body.slice(0, 300)}`

export const isJwt = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)

/** One key is published, and nothing but its public half. */
export const isPublicKeySet = ({ keys }: Body): boolean =>
  Array.isArray(keys) && keys.length === 1 && keys[0].kty === 'RSA' && keys[0].n && !keys[0].d

/** A talk of its own for each connection, as each belongs to somebody else. */
export const forEach = (connections: number, talk: (number: number) => Promise<Talk>): Promise<Talk[]> =>
  Promise.all(Array.from({ length: connections }, (_, number) => talk(number)))

/** Makes the rows of one program. */
export const rowsOf =
  (program: Row['program']) =>
  (id: string, name: string, prepare: Row['prepare']): Row => ({
    ...{ id: `${program}:${id}`, name: `${program}: ${name}`, program, prepare },
  })
