import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { openChangeFeed } from '../../src/db/changes.ts'
import { OperatorError } from '../../src/errors.ts'
import { describeSigningKeys, ensureSigningKey, rotateSigningKeys } from '../../src/keys/signing-keys.ts'
import { listSigningKeys } from '../../src/keys/store.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { maintainKeys } from '../../src/oauth/signing-keys/service.ts'
import { FULL } from '../support/rounds.ts'
import { DAY, HOUR, kidsOf, MINUTE, manualFeed, type Node, type Nodes, openNodes } from './node.ts'

let nodes: Nodes
beforeAll(async () => {
  nodes = await openNodes()
})
afterAll(() => nodes.close())
afterEach(async () => {
  await nodes.db.deleteFrom('signing_keys').execute()
})

async function startNode(options: Parameters<Nodes['start']>[0] = {}): Promise<Node> {
  const node = nodes.start(options)
  await ensureSigningKey(node)
  return node
}

const claims = { iss: 'http://localhost:3000', sub: 'ann' }
const signWith = (node: Node) => node.signer.sign('JWT', claims)
const kidOfNext = async (node: Node) => decodeProtectedHeader(await signWith(node)).kid
const recognises = async (node: Node, token: string) => (await node.signer.verify('JWT', token)) !== undefined
const statesOf = async (node: Node) => (await describeSigningKeys(node)).map(({ state }) => state)
// The job needs no more of the context than a node has.
const maintain = (node: Node) => maintainKeys.run(node as unknown as Ctx, {})

test('nodes that start at the same moment share one key', async () => {
  const both = await Promise.all(Array.from({ length: 5 }, () => startNode()))
  expect(await listSigningKeys(nodes.db)).toHaveLength(1)
  const [first, second] = both
  if (first && second) expect(await recognises(second, await signWith(first))).toBe(true)
})

test('the keys are read once for any number of first uses, and once a minute after that', async () => {
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

test('an unknown kid makes a node look again, at most once a second', async () => {
  const [a, b] = [await startNode(), nodes.start()]
  await kidsOf(b)
  const before = b.queries()
  nodes.advance(10_000)
  await rotateSigningKeys(a, { immediately: true })
  const token = await signWith(a)
  expect(await recognises(b, token)).toBe(true)
  expect(b.queries() - before).toBe(1)
  const unknown = token.replace(
    /^[^.]+/,
    Buffer.from('{"alg":"RS256","typ":"JWT","kid":"x"}').toString('base64url'),
  )
  for (let i = 0; i < 20; i++) expect(await recognises(b, unknown)).toBe(false)
  expect(b.queries() - before).toBe(1)
  nodes.advance(1_000)
  await Promise.all(Array.from({ length: 20 }, () => recognises(b, unknown)))
  expect(b.queries() - before).toBe(2)
})

test('a change that is announced, or may have been missed, is known with the next use', async () => {
  const feed = manualFeed()
  const [a, b] = [await startNode(), nodes.start({ changes: feed })]
  expect(await kidsOf(b)).toHaveLength(1)
  await rotateSigningKeys(a, { immediately: false })
  feed.announce('session:1')
  expect(await kidsOf(b)).toHaveLength(1)
  feed.announce('signing_keys')
  expect(await kidsOf(b)).toHaveLength(2)
  await nodes.db.deleteFrom('signing_keys').where('activates_at', '>', a.now()).execute()
  feed.announce(undefined)
  expect(await kidsOf(b)).toHaveLength(1)
})

test('the database itself announces new keys to every node', async () => {
  const changes = await openChangeFeed(nodes.database.direct)
  const [a, b] = [await startNode(), nodes.start({ changes })]
  expect(await kidsOf(b)).toHaveLength(1)
  nodes.advance(1_000)
  const { kid } = await rotateSigningKeys(a, { immediately: true })
  await changes.settle()
  expect(await kidOfNext(b)).toBe(kid)
  await changes.stop()
})

test.each([true, false])('simultaneous rotations make one new key (immediately: %s)', async (immediately) => {
  const node = await startNode()
  const rotations = await Promise.all(
    Array.from({ length: FULL ? 10 : 4 }, () => rotateSigningKeys(node, { immediately })),
  )
  expect(new Set(rotations.map(({ kid }) => kid)).size).toBe(1)
  expect(rotations.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await listSigningKeys(nodes.db)).toHaveLength(2)
})

test('every node publishes a new key long before any signs with it, and old tokens stay good', async () => {
  const [a, b] = [await startNode(), nodes.start()]
  const before = await signWith(a)
  expect(await kidsOf(b)).toHaveLength(1)
  const { kid, activatesAt } = await rotateSigningKeys(a, { immediately: false })
  expect(activatesAt.getTime() - a.now().getTime()).toBe(15 * MINUTE)
  nodes.advance(MINUTE)
  expect((await kidsOf(b))[0]).toBe(kid)
  expect(await kidOfNext(a)).not.toBe(kid)
  expect(await statesOf(a)).toEqual(['upcoming', 'signing'])
  nodes.advance(14 * MINUTE - 1)
  expect(await kidOfNext(a)).not.toBe(kid)
  nodes.advance(1)
  expect(await kidOfNext(a)).toBe(kid)
  expect(await kidOfNext(b)).toBe(kid)
  expect(await statesOf(a)).toEqual(['signing', 'published'])
  expect(await recognises(b, before)).toBe(true)
  expect(await recognises(nodes.start(), before)).toBe(true)
})

test.runIf(FULL)('a new key follows the one before, also when the clock was set back', async () => {
  const node = await startNode()
  const first = await kidOfNext(node)
  nodes.advance(-HOUR)
  const { kid } = await rotateSigningKeys(node, { immediately: true })
  expect(await kidOfNext(nodes.start())).toBe(first)
  nodes.advance(HOUR + 1)
  expect(await kidOfNext(nodes.start())).toBe(kid)
})

test.runIf(FULL)('a key that waits can be brought forward', async () => {
  const node = await startNode()
  const waiting = await rotateSigningKeys(node, { immediately: false })
  nodes.advance(MINUTE)
  expect(await rotateSigningKeys(node, { immediately: true })).toEqual({
    kid: waiting.kid,
    activatesAt: node.now(),
    isNew: false,
  })
  expect(await kidOfNext(nodes.start())).toBe(waiting.kid)
  nodes.advance(MINUTE)
  expect((await rotateSigningKeys(node, { immediately: true })).isNew).toBe(true)
})

test('a key is replaced when it is old, and not before', async () => {
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

test('a key retires when its last token is gone, is recognised for 100 days more, and is then forgotten', async () => {
  const node = await startNode({ config: { keyRotationDays: 3_650 } })
  const old = await signWith(node)
  const { kid } = await rotateSigningKeys(node, { immediately: false })
  nodes.advance(15 * MINUTE + 25 * HOUR - 1)
  await maintain(node)
  expect(await kidsOf(node)).toHaveLength(2)
  expect((await listSigningKeys(nodes.db)).every((key) => key.sealed_private_key)).toBe(true)

  nodes.advance(1)
  // Also before the job comes by, and before the keys are read again.
  expect(await kidsOf(node)).toEqual([kid])
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing', 'retired'])
  const [signing, retired] = await listSigningKeys(nodes.db)
  expect(signing?.sealed_private_key).not.toBeNull()
  expect(retired?.sealed_private_key).toBeNull()
  expect(await recognises(nodes.start(), old)).toBe(true)
  expect(await kidOfNext(nodes.start())).toBe(kid)

  nodes.advance(100 * DAY - 1)
  await maintain(node)
  expect(await recognises(node, old)).toBe(true)
  nodes.advance(1)
  await maintain(node)
  expect(await statesOf(node)).toEqual(['signing'])
  expect(await recognises(nodes.start(), old)).toBe(false)
})

test('without the database a node goes on with the keys it has, and fails only where it needs it', async () => {
  const feed = manualFeed()
  const [a, b] = [await startNode(), nodes.start({ changes: feed })]
  b.cutOff(true)
  await expect(signWith(b)).rejects.toThrow('ECONNREFUSED')
  b.cutOff(false)
  const token = await signWith(b)
  b.cutOff(true)
  nodes.advance(MINUTE)
  feed.announce(undefined)
  expect(await kidOfNext(b)).toBe(await kidOfNext(a))
  expect(await recognises(b, token)).toBe(true)
  expect(await kidsOf(b)).toHaveLength(1)
  await rotateSigningKeys(a, { immediately: true })
  nodes.advance(MINUTE)
  const unheardOf = await signWith(a)
  await expect(recognises(b, unheardOf)).rejects.toThrow('ECONNREFUSED')
  b.cutOff(false)
  feed.announce(undefined)
  expect(await recognises(b, unheardOf)).toBe(true)
})

test.runIf(FULL)(
  'after a restart with the same encryption key old tokens verify, and the same key signs',
  async () => {
    const before = await startNode()
    const token = await signWith(before)
    const after = await startNode()
    expect(await recognises(after, token)).toBe(true)
    expect(await kidOfNext(after)).toBe(await kidOfNext(before))
  },
)

test('another encryption key is refused in words for the operator, and makes no key the others cannot open', async () => {
  await startNode()
  const other = randomBytes(32)
  const stranger = nodes.start({ keys: createSealer([other]) })
  const refusal = expect.objectContaining({
    constructor: OperatorError,
    message: expect.stringMatching(/sealed with another encryption key.*LATCHKEY_ENCRYPTION_KEY/),
  })
  await expect(ensureSigningKey(stranger)).rejects.toEqual(refusal)
  await expect(rotateSigningKeys(stranger, { immediately: true })).rejects.toEqual(refusal)
  await expect(signWith(stranger)).rejects.toEqual(refusal)
  expect(await listSigningKeys(nodes.db)).toHaveLength(1)
})
