import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  check,
  type Firm,
  grant,
  hire,
  mustBe,
  NOTHING,
  openFirm,
  seatsOf,
  seenFrom,
} from '../../licensing/firm.ts'
import { whileDeaf } from '../../support/deaf.ts'
import { startService, type TestService } from '../../support/service.ts'
import {
  introspect,
  obtainTokens,
  refresh,
  signIn,
  startWorld,
  type Tokens,
  userinfo,
} from '../../support/world.ts'
import { call } from '../people.ts'
import { callAsOps } from './calls.ts'

// What an administrator ends on one node has ended there before the answer, and on the others a moment later.

let here: TestService
let there: TestService
let firm: Firm
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
  firm = await openFirm(here, { seats: 100 })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

interface Scene {
  id: string
  cookie: string
  tokens: Tokens
}

let scene: Scene
/** Somebody with a seat, whom both nodes know and serve. */
beforeEach(async () => {
  const worker = await hire(firm)
  await mustBe(201, grant(firm, worker))
  const cookie = await signIn(here.url, worker.email)
  const tokens = await obtainTokens(here.url, cookie, { tenant: firm.company.slug })
  scene = { id: worker.id, cookie, tokens }
  for (const node of [here, there]) await expectServed(node)
})

const byCookie = async ({ url }: TestService) =>
  (await call(`${url}/api/users/me`, { method: 'GET', headers: { cookie: scene.cookie } })).status

async function expectServed(node: TestService): Promise<void> {
  expect(await userinfo(node.url, scene.tokens.access_token)).toBe(200)
  expect(await byCookie(node)).toBe(200)
  await expect.poll(() => check(seenFrom(node, firm), scene)).toMatchObject({ hasLicense: true })
}

/** Their token, their browser and their refresh are worth nothing. */
async function expectEnded(node: TestService): Promise<void> {
  const { access_token, refresh_token } = scene.tokens
  await expect.poll(() => userinfo(node.url, access_token)).toBe(401)
  expect(await byCookie(node)).toBe(401)
  expect(await introspect(node.url, access_token)).toEqual({ active: false })
  expect(await introspect(node.url, refresh_token)).toEqual({ active: false })
  expect((await refresh(node.url, refresh_token)).body.error).toBe('invalid_grant')
}

const endings: [string, (id: string) => ReturnType<typeof callAsOps>][] = [
  ['disabling somebody', (id) => callAsOps(here, 'PATCH', `/${id}`, { disabled: true })],
  ['deleting somebody', (id) => callAsOps(here, 'DELETE', `/${id}`)],
  ['ending their sessions', (id) => callAsOps(here, 'DELETE', `/${id}/sessions`)],
  ['ending their password', (id) => callAsOps(here, 'POST', `/${id}/password-reset`)],
]

describe.each(endings)('%s', (name, end) => {
  const endsSeat = name.startsWith('d')

  async function expectAllEnded(): Promise<void> {
    expect(await userinfo(here.url, scene.tokens.access_token)).toBe(401)
    for (const node of [here, there]) {
      await expectEnded(node)
      if (endsSeat) await expect.poll(() => check(seenFrom(node, firm), scene)).toEqual(NOTHING)
    }
  }

  test('ends all that they have on both nodes', async () => {
    const { quantityAssigned } = await seatsOf(firm)
    await mustBe(200, end(scene.id))
    await expectAllEnded()
    expect((await seatsOf(firm)).quantityAssigned).toBe(Number(quantityAssigned) - (endsSeat ? 1 : 0))
  })

  test('does so while the nodes hear nothing of changes', async () => {
    await whileDeaf([here, there], async () => {
      await mustBe(200, end(scene.id))
      await expectAllEnded()
    })
  })
})

test('who is enabled again has their seat back on both nodes, and none of their tokens', async () => {
  await mustBe(200, callAsOps(here, 'PATCH', `/${scene.id}`, { disabled: true }))
  await mustBe(200, callAsOps(there, 'PATCH', `/${scene.id}`, { disabled: false }))
  for (const node of [here, there]) {
    const licensed = { hasLicense: true }
    await expect.poll(() => check(seenFrom(node, firm), scene)).toMatchObject(licensed)
    await expectEnded(node)
  }
})
