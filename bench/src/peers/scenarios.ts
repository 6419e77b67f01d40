import type { HttpRequest, HttpResponse, Program, Row, Scenario } from '../row.ts'

/** Throws if the program did not report this output. */
export function getOutput({ name, outputs }: Program, key: string): string {
  const value = outputs[key]
  if (value === undefined) throw new Error(`${name} did not report ${key}.`)
  return value
}

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

export const form = (path: string, fields: Record<string, string>, headers = {}): HttpRequest => ({
  method: 'POST',
  path,
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
})

export const json = (path: string, fields: Record<string, unknown>, headers = {}): HttpRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify(fields),
  headers: { 'content-type': 'application/json', ...headers },
})

export type Body = Record<string, unknown>

/** Returns an empty object if the body is not a JSON object. */
export function parseBody(response: HttpResponse): Body {
  try {
    const body = JSON.parse(response.body)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

/** The response must have status 200 and a valid body. */
export const expectBody =
  (isValid: (body: Body) => boolean): Scenario['check'] =>
  (response) =>
    response.status === 200 && isValid(parseBody(response)) ? undefined : describeResponse(response)

export const describeResponse = ({ status, body }: HttpResponse): string => `${status} ${body.slice(0, 300)}`

export const isJwt = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)

/** The set contains one public key. */
export const isPublicKeySet = ({ keys }: Body): boolean =>
  Array.isArray(keys) && keys.length === 1 && keys[0].kty === 'RSA' && keys[0].n && !keys[0].d

/** Prepares a separate scenario per connection, each for another person. */
export const prepareEach = (connections: number, prepare: (index: number) => Promise<Scenario>): Promise<Scenario[]> =>
  Promise.all(Array.from({ length: connections }, (_, index) => prepare(index)))

/** Creates rows of one program. */
export const createRowFactory =
  (program: Row['program']) =>
  (id: string, name: string, prepare: Row['prepare']): Row => ({
    id: `${program}:${id}`,
    name: `${program}: ${name}`,
    program,
    prepare,
  })
