import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { SignatureV4 } from '@smithy/signature-v4'
import type { StreamEvent } from '../../../src/audit/streams/event.ts'
import { type HttpReceiver, startHttpReceiver } from './http-receiver.ts'

export const CREDENTIALS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a-secret-of-a-test/with+characters' }
export const REGION = 'eu-central-1'
const MAX_SKEW_MS = 15 * 60_000

export interface S3Server extends HttpReceiver {
  /** Every accepted PUT in order, including those that overwrite an object. */
  puts: string[]
  objects: Map<string, Buffer>
  /** The events of all files, in the order of their names. */
  events(): StreamEvent[]
}

/** The PUT of S3. It verifies signatures with the library of the AWS SDK, and checksums. */
export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const puts: string[] = []
  const receiver = await startHttpReceiver(async (request, body) => {
    const problem = await findProblem(request, body)
    if (problem) return { status: 403, body: `<Error><Code>${problem}</Code></Error>`, type: 'application/xml' }
    const { url = '' } = request
    objects.set(url, body)
    puts.push(url)
    return { status: 200, body: '' }
  })
  const events = () =>
    [...objects]
      .filter(([name]) => name.endsWith('.jsonl.gz'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([, body]) => gunzipSync(body).toString().trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as StreamEvent)
  return { ...receiver, objects, puts, events }
}

async function findProblem(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
): Promise<string | undefined> {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/\d{8}\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!match) return 'AuthorizationHeaderMalformed'
  const [, accessKeyId, region, signedHeaders = '', signature = ''] = match
  if (accessKeyId !== CREDENTIALS.accessKeyId || region !== REGION) return 'InvalidAccessKeyId'
  const date = parseDate(String(headers['x-amz-date']))
  if (!(Math.abs(date.getTime() - Date.now()) < MAX_SKEW_MS)) return 'RequestTimeTooSkewed'
  const hash = createHash('sha256').update(body).digest()
  if (headers['x-amz-content-sha256'] !== hash.toString('hex')) return 'XAmzContentSHA256Mismatch'
  if (headers['x-amz-checksum-sha256'] !== hash.toString('base64')) return 'BadDigest'
  const names = signedHeaders.split(';')
  if (!['host', 'x-amz-date', 'x-amz-content-sha256'].every((name) => names.includes(name))) return 'AccessDenied'
  const expected = await computeSignature({ method, url, headers, names, date })
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(signature, 'hex'))
    ? undefined
    : 'SignatureDoesNotMatch'
}

const parseDate = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

async function computeSignature({
  method,
  url,
  headers,
  names,
  date,
}: {
  method: string
  url: string
  headers: IncomingHttpHeaders
  names: string[]
  date: Date
}): Promise<string> {
  const signer = new SignatureV4({
    service: 's3',
    region: REGION,
    credentials: CREDENTIALS,
    sha256: Sha256,
    uriEscapePath: false,
  })
  const { host = '' } = headers
  const signed = await signer.sign(
    {
      method,
      protocol: 'http:',
      hostname: host,
      path: url,
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
      query: {},
    },
    { signingDate: date },
  )
  return /Signature=([0-9a-f]{64})$/.exec(String(signed.headers.authorization))?.[1] ?? ''
}

/** SHA-256, or HMAC-SHA-256 with a secret, for the library. */
class Sha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret))
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data))
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
  reset(): void {
    throw new Error('not supported')
  }
}

const toBytes = (data: string | ArrayBuffer | ArrayBufferView): Buffer =>
  typeof data === 'string'
    ? Buffer.from(data)
    : ArrayBuffer.isView(data)
      ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
      : Buffer.from(data)
