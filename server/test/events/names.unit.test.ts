import { createSocket } from 'node:dgram'
import { lookup, Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGuard } from '../../src/events/dispatch/guard.ts'

// Names that others give us are asked for at name servers that others run, and those may be silent.

const never = new AbortController().signal
const A = 1
const AAAA = 28
const ADDRESSES: Record<string, Record<number, number[]>> = {
  'both.test': { [A]: [192, 0, 2, 1], [AAAA]: [0x20, 1, ...Array.from({ length: 13 }, () => 0), 1] },
  'four.test': { [A]: [192, 0, 2, 4] },
  'none.test': {},
}

/** A name server that knows a few names and never answers for others. */
const server = createSocket('udp4')
const newResolver = () => {
  const resolver = new Resolver({ timeout: 3_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}
let unanswered = 0
beforeAll(async () => {
  server.on('message', (query, from) => {
    const reply = replyTo(query)
    if (reply) server.send(reply, from.port, from.address)
    else unanswered++
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.close()
})

function replyTo(query: Buffer): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + size).toString())
    at += size + 1
  }
  const known = ADDRESSES[labels.join('.').toLowerCase()]
  if (!known) return undefined
  const type = query.readUInt16BE(at + 1)
  const data = known[type]
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
  const answer = data ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data] : []
  return Buffer.concat([header, query.subarray(12, at + 5), Buffer.from(answer)])
}

const strict = () => createGuard({ allowedNetworks: [] }, newResolver)
const nearby = () => createGuard({ allowedNetworks: ['127.0.0.0/8'] }, newResolver)

test('a name has the addresses of both kinds, or of the one that there is', async () => {
  expect(await strict().resolve('both.test', never)).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '2001::1', family: 6 },
  ])
  expect(await strict().resolve('four.test', never)).toEqual([{ address: '192.0.2.4', family: 4 }])
  await expect(strict().resolve('none.test', never)).rejects.toMatchObject({ code: 'ENODATA' })
})

test('silent name servers take no thread from anybody, and are left when the attempt is over', async () => {
  const attempt = new AbortController()
  const settled: unknown[] = []
  const asked = Array.from({ length: 8 }, (_, index) =>
    nearby()
      .resolve(`silent${index}.test`, attempt.signal)
      .catch((error: { code: string }) => settled.push(error.code)),
  )
  await expect.poll(() => unanswered, { timeout: 2_000 }).toBeGreaterThanOrEqual(8)
  await lookup('localhost')
  expect(settled).toEqual([])
  attempt.abort()
  await Promise.all(asked)
  expect(new Set(settled)).toEqual(new Set(['ECANCELLED']))
})

test('what the system alone knows is a name only where operators have opened their network', async () => {
  const addresses = (await nearby().resolve('localhost', never)).map(({ address }) => address)
  expect(addresses.some((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true)
  const attempt = AbortSignal.timeout(200)
  await expect(strict().resolve('localhost', attempt)).rejects.toThrow()
})
