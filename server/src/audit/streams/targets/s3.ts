import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Settings } from '../../../config/audit-streams.ts'
import type { Batch } from '../event.ts'
import { sendMessage } from './http.ts'
import type { Instance, Target } from './target.ts'

/** Larger than for other targets, because every file costs a request and is read as a whole. */
const LIMITS = { maxEvents: 10_000, maxBytes: 8 * 1024 ** 2 }

/** The object that `latchkey doctor` writes. */
const CHECK_OBJECT = 'latchkey-doctor'

const compress = promisify(gzip)

/** Stores each batch as a gzipped file with one JSON object on each line. */
export function createS3Target(settings: S3Settings, { now }: Instance): Target {
  const put = async (name: string, body: Buffer, abort: AbortSignal) => {
    const url = `${settings.url}/${name}`
    const headers = await sign(settings, { url, body, now: now() })
    const secrets = [settings.secretAccessKey]
    await sendMessage({ method: 'PUT', url, headers, body, tls: settings.tls, secrets }, abort)
  }
  return {
    limits: LIMITS,
    async send(batch, abort) {
      const lines = batch.events.map((event) => `${JSON.stringify(event)}\n`).join('')
      await put(toObjectName(batch), await compress(lines), abort)
      return undefined
    },
    // Writes an object, because that is the only permission that the credentials need.
    check: (abort) => put(CHECK_OBJECT, Buffer.alloc(0), abort),
  }
}

const POSITION_DIGITS = 15
const HASH_DIGITS = 12

/**
 * A repeated batch overwrites its own object. The hash of the chain keeps the objects of an earlier state apart, when a
 * backup was restored and positions are assigned again.
 */
export function toObjectName({ firstPosition, lastPosition, events }: Batch): string {
  const [first, last] = [events[0], events.at(-1)]
  const day = first?.occurredAt.slice(0, 10).replaceAll('-', '/')
  const [from, to] = [firstPosition, lastPosition].map((position) => String(position).padStart(POSITION_DIGITS, '0'))
  return `${day}/${from}-${to}-${last?.hash.slice(0, HASH_DIGITS)}.jsonl.gz`
}

/** The headers of a PUT with an AWS signature (SigV4) that covers the body. */
async function sign(
  { accessKeyId, secretAccessKey, region }: S3Settings,
  { url, body, now }: { url: string; body: Buffer; now: Date },
): Promise<Record<string, string>> {
  const hash = createHash('sha256').update(body).digest()
  const signer = new AwsV4Signer({
    method: 'PUT',
    url,
    service: 's3',
    region,
    accessKeyId,
    secretAccessKey,
    datetime: now.toISOString().replace(/[-:]|\.\d+/g, ''),
    headers: {
      'content-type': 'application/gzip',
      'x-amz-content-sha256': hash.toString('hex'),
      // Buckets with object lock require a checksum.
      'x-amz-checksum-sha256': hash.toString('base64'),
    },
  })
  return Object.fromEntries((await signer.sign()).headers)
}
