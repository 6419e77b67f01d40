import { lookup, Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGuard } from '../../src/lib/outgoing/guard.ts'
import { A, AAAA, type NameServer, startNameServer } from '../support/name-server.ts'

// Host names of webhooks are resolved by external name servers, which may not answer.

const never = new AbortController().signal
const ADDRESSES = {
  'both.test': { [A]: [192, 0, 2, 1], [AAAA]: [0x20, 1, ...Array.from({ length: 13 }, () => 0), 1] },
  'four.test': { [A]: [192, 0, 2, 4] },
  'none.test': {},
}

let server: NameServer
const newResolver = () => {
  const resolver = new Resolver({ timeout: 3_000, tries: 1 })
  resolver.setServers([`127.0.0.1:${server.port}`])
  return resolver
}
beforeAll(async () => {
  server = await startNameServer(ADDRESSES)
})
afterAll(() => server.close())

const strict = () => createGuard({ allowedNetworks: [] }, newResolver)
const nearby = () => createGuard({ allowedNetworks: ['127.0.0.0/8'] }, newResolver)

test('a name resolves to its IPv4 and IPv6 addresses, or to the existing kind', async () => {
  expect(await strict().resolve('both.test', never)).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '2001::1', family: 6 },
  ])
  expect(await strict().resolve('four.test', never)).toEqual([{ address: '192.0.2.4', family: 4 }])
  await expect(strict().resolve('none.test', never)).rejects.toMatchObject({ code: 'ENODATA' })
})

test('unresponsive name servers block no thread, and queries are canceled with the attempt', async () => {
  const attempt = new AbortController()
  const settled: unknown[] = []
  const lookups = Array.from({ length: 8 }, (_, index) =>
    nearby()
      .resolve(`silent${index}.test`, attempt.signal)
      .catch((error: { code: string }) => settled.push(error.code)),
  )
  await expect.poll(server.unanswered, { timeout: 2_000 }).toBeGreaterThanOrEqual(8)
  await lookup('localhost')
  expect(settled).toEqual([])
  attempt.abort()
  await Promise.all(lookups)
  expect(new Set(settled)).toEqual(new Set(['ECANCELLED']))
})

test('names of the system resolver are used only when operators have allowed networks', async () => {
  const addresses = (await nearby().resolve('localhost', never)).map(({ address }) => address)
  expect(addresses.some((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true)
  const attempt = AbortSignal.timeout(200)
  await expect(strict().resolve('localhost', attempt)).rejects.toThrow()
})
