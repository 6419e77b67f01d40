import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { OperatorError } from '../../src/errors.ts'
import { describeSigningKeys, ensureSigningKeys } from '../../src/keys/signing-keys.ts'
import { listSigningKeys } from '../../src/keys/store.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { maintainKeys } from '../../src/oauth/signing-keys/service.ts'
import { FULL } from '../support/rounds.ts'
import { DAY, HOUR, kidsOf, MINUTE, manualFeed, type Node, type Nodes, openNodes, rotateRs256Key } from './node.ts'

let nodes: Nodes
beforeAll(async () => {
  nodes = await openNodes()
})
afterAll(() => nodes.close())
afterEach(async () => {
  await nodes.db.deleteFrom('token_keys').execute()
})

async function startNode(options: Parameters<Nodes['start']>[0] = {}): Promise<Node> {
  const node = nodes.start(options)
  await nodes.ensureKeys(node)
  return node
}

const claims = { iss: 'http://localhost:3000', sub: 'ann' }
const signWith = (node: Node) => node.signer.sign('JWT', claims)
const signingKid = async (node: Node) => decodeProtectedHeader(await signWith(node)).kid
const verifies = async (node: Node, token: string) => (await node.signer.verify('JWT', token)) !== undefined
const statesOf = async (node: Node) => (await describeSigningKeys(node)).map(({ state }) => state)
// A node has the part of the context that the job needs.
const maintain = (node: Node) => maintainKeys.run(node as unknown as Ctx, {})

test('nodes that start concurrently create one key', async () => {
  const both = await Promise.all(
    Array.from({ length: FULL ? 5 : 2 }, async () => {
      const node = nodes.start()
      await ensureSigningKeys(node)
      return node
    }),
  )
  expect(await listSigningKeys(nodes.db)).toHaveLength(1)
  const [first, second] = both
  if (first && second) expect(await verifies(second, await signWith(first))).toBe(true)
})

test('concurrent first uses read the keys once, and then once a minute', async () => {
  const node = await startNode()
  const before = node.queries()
  await Promise.all(Array.from({ length: 20 }, () => signWith(node)))
  expect(node.queries() - before).toBe(1)
  nodes.advance(MINUTE - 1)
  await signWith(node)
  expect(node.queries() - before).toBe(1)
  nodes.advance(1)
  await Promise.all([signWith(node), node.signer.publishedKeys()])
  expect(node.queries() - before).toBe(2)
})

test('an unknown kid makes a node read the keys again, at most once a second', async () => {
  const [a, b] = [await startNode(), nodes.start()]
  await kidsOf(b)
  const before = b.queries()
  nodes.advance(10_000)
  await rotateRs256Key(a, { immediately: true })
  const token = await signWith(a)
  expect(await verifies(b, token)).toBe(true)
  expect(b.queries() - before).toBe(1)
  const unknown = token.replace(/^[^.]+/, Buffer.from('{"alg":"RS256","typ":"JWT","kid":"x"}').toString('base64url'))
  for (let i = 0; i < 20; i++) expect(await verifies(b, unknown)).toBe(false)
  expect(b.queries() - before).toBe(1)
  nodes.advance(1_000)
  await Promise.all(Array.from({ length: 20 }, () => verifies(b, unknown)))
  expect(b.queries() - before).toBe(2)
})

test('after an announced or possibly missed change the next use reads the keys', async () => {
  const feed = manualFeed()
  const [a, b] = [await startNode(), nodes.start({ changes: feed })]
  expect(await kidsOf(b)).toHaveLength(1)
  await rotateRs256Key(a, { immediately: false })
  feed.announce('session:1')
  expect(await kidsOf(b)).toHaveLength(1)
  feed.announce('signing_keys')
  expect(await kidsOf(b)).toHaveLength(2)
  await nodes.db.deleteFrom('token_keys').where('activates_at', '>', a.now()).execute()
  feed.announce(undefined)
  expect(await kidsOf(b)).toHaveLength(1)
})

test('the database announces new keys to every node', async () => {
  const changes = await openChangeFeed(nodes.database.direct)
  const [a, b] = [await startNode(), nodes.start({ changes })]
  expect(await kidsOf(b)).toHaveLength(1)
  nodes.advance(1_000)
  const { kid } = await rotateRs256Key(a, { immediately: true })
  await changes.waitUntilCurrent()
  expect(await signingKid(b)).toBe(kid)
  await changes.stop()
})

test.each([true, false])('concurrent rotations create one key (immediately: %s)', async (immediately) => {
  const node = await startNode()
  const rotations = await Promise.all(
    Array.from({ length: FULL ? 10 : 2 }, () => rotateRs256Key(node, { immediately })),
  )
  expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(1)
  expect(rotations.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await listSigningKeys(nodes.db)).toHaveLength(2)
})

test('every node publishes a new key before any signs with it, and old tokens stay valid', async () => {
  const [a, b] = [await startNode(), nodes.start()]
  const before = await signWith(a)
  expect(await kidsOf(b)).toHaveLength(1)
  const { kid, activatesAt } = await rotateRs256Key(a, { immediately: false })
  expect(activatesAt.getTime() - a.now().getTime()).toBe(15 * MINUTE)
  nodes.advance(MINUTE)
  expect((await kidsOf(b))[0]).toBe(kid)
  expect(await signingKid(a)).not.toBe(kid)
  expect(await statesOf(a)).toEqual(['upcoming', 'signing'])
  nodes.advance(14 * MINUTE - 1)
  expect(await signingKid(a)).not.toBe(kid)
  nodes.advance(1)
  expect(await signingKid(a)).toBe(kid)
  expect(await signingKid(b)).toBe(kid)
  expect(await statesOf(a)).toEqual(['signing', 'published'])
  expect(await verifies(b, before)).toBe(true)
  expect(await verifies(nodes.start(), before)).toBe(true)
})

test.runIf(FULL)('a new key activates after its predecessor, also if the clock was set back', async () => {
  const node = await startNode()
  const first = await signingKid(node)
  nodes.advance(-HOUR)
  const { kid } = await rotateRs256Key(node, { immediately: true })
  expect(await signingKid(nodes.start())).toBe(first)
  nodes.advance(HOUR + 1)
  expect(await signingKid(nodes.start())).toBe(kid)
})

test('an upcoming key can be activated early', async () => {
  const node = await startNode()
  const waiting = await rotateRs256Key(node, { immediately: false })
  nodes.advance(MINUTE)
  expect(await rotateRs256Key(node, { immediately: true })).toEqual({
    kid: waiting.kid,
    algorithm: 'RS256',
    activatesAt: node.now(),
    isNew: false,
  })
  expect(await signingKid(nodes.start())).toBe(waiting.kid)
  nodes.advance(MINUTE)
  expect((await rotateRs256Key(node, { immediately: true })).isNew).toBe(true)
})

test('a key is rotated at its maximum age, and not before', async () => {
  const node = await startNode({ config: { keyRotationDays: 30 } })
  nodes.advance(30 * DAY - 1)
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing'])
  nodes.advance(1)
  await Promise.all([maintain(node), maintain(nodes.start({ config: { keyRotationDays: 30 } }))])
  expect(await statesOf(node)).toEqual(['upcoming', 'signing'])
  nodes.advance(HOUR)
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing', 'published'])
})

test('a key retires when its last token expires, verifies for another 100 days, and is then deleted', async () => {
  const node = await startNode({ config: { keyRotationDays: 3_650 } })
  const old = await signWith(node)
  const { kid } = await rotateRs256Key(node, { immediately: false })
  nodes.advance(15 * MINUTE + 25 * HOUR - 1)
  await maintain(node)
  expect(await kidsOf(node)).toHaveLength(2)
  expect((await listSigningKeys(nodes.db)).every((key) => key.sealed_private_key)).toBe(true)

  nodes.advance(1)
  // It is no longer published, before the job runs and before the keys are read again.
  expect(await kidsOf(node)).toEqual([kid])
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing', 'retired'])
  const [signing, retired] = await listSigningKeys(nodes.db)
  expect(signing?.sealed_private_key).not.toBeNull()
  expect(retired?.sealed_private_key).toBeNull()
  expect(await verifies(nodes.start(), old)).toBe(true)
  expect(await signingKid(nodes.start())).toBe(kid)

  nodes.advance(100 * DAY - 1)
  await maintain(node)
  expect(await verifies(node, old)).toBe(true)
  nodes.advance(1)
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing'])
  expect(await verifies(nodes.start(), old)).toBe(false)
})

test('during an outage a node uses its cached keys, and fails only for unknown ones', async () => {
  const feed = manualFeed()
  const [a, b] = [await startNode(), nodes.start({ changes: feed })]
  b.setOutage(true)
  await expect(signWith(b)).rejects.toThrow('ECONNREFUSED')
  b.setOutage(false)
  const token = await signWith(b)
  b.setOutage(true)
  nodes.advance(MINUTE)
  feed.announce(undefined)
  expect(await signingKid(b)).toBe(await signingKid(a))
  expect(await verifies(b, token)).toBe(true)
  expect(await kidsOf(b)).toHaveLength(1)
  await rotateRs256Key(a, { immediately: true })
  nodes.advance(MINUTE)
  const unknownToNode = await signWith(a)
  await expect(verifies(b, unknownToNode)).rejects.toThrow('ECONNREFUSED')
  b.setOutage(false)
  feed.announce(undefined)
  expect(await verifies(b, unknownToNode)).toBe(true)
})

test.runIf(FULL)('after a restart with the same encryption key, old tokens verify and the same key signs', async () => {
  const before = await startNode()
  const token = await signWith(before)
  const after = await startNode()
  expect(await verifies(after, token)).toBe(true)
  expect(await signingKid(after)).toBe(await signingKid(before))
})

test('a node with another encryption key fails with an operator error and creates no key', async () => {
  await startNode()
  const other = randomBytes(32)
  const stranger = nodes.start({ keys: createSealer([other]) })
  const refusal = expect.objectContaining({
    constructor: OperatorError,
    message: expect.stringMatching(/sealed with another encryption key.*LATCHKEY_ENCRYPTION_KEY/),
  })
  await expect(ensureSigningKeys(stranger)).rejects.toEqual(refusal)
  await expect(rotateRs256Key(stranger, { immediately: true })).rejects.toEqual(refusal)
  await expect(signWith(stranger)).rejects.toEqual(refusal)
  expect(await listSigningKeys(nodes.db)).toHaveLength(1)
})
