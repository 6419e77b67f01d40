import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, failure } from '../../account/people.ts'
import { tokenOf } from '../../licensing/firm.ts'
import { whileDeaf } from '../../support/deaf.ts'
import { startService, type TestService } from '../../support/service.ts'
import { authorize, introspect, refresh, startWorld, token, userinfo } from '../../support/world.ts'
import { newScene, type Scene, setSuspended } from './scene.ts'

// A suspension on one node is known to that node at once. To the others: at once where they ask the database, and for
// what they remember a moment later, or at once when they do not hear of changes.

let here: TestService
let there: TestService
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
})
afterAll(async () => {
  await there?.close()
  await here?.close()
})

interface Held {
  scene: Scene
  /** Of the firm's machine. */
  machines: string
}

/** People and a machine whose tokens both nodes know to be good. */
async function newHeld(): Promise<Held> {
  const scene = await newScene(here)
  const held = { scene, machines: await tokenOf(scene.firm) }
  for (const node of [here, there]) expect(await usesOn(node, held)).toEqual([200, 200, 200, true, true])
  return held
}

const checkOn = async ({ url }: TestService, { scene: { firm, worker } }: Held, accessToken: string) => {
  const query = new URLSearchParams({ userId: worker.id, applicationId: firm.applicationId })
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await fetch(`${url}/api/integration/licenses/check?${query}`, { headers })).status
}

/** What a node makes of the tokens. */
async function usesOn(node: TestService, held: Held) {
  const { access_token } = held.scene.tokens
  return [
    await userinfo(node.url, access_token),
    await checkOn(node, held, access_token),
    await checkOn(node, held, held.machines),
    (await introspect(node.url, access_token)).active,
    (await introspect(node.url, held.machines)).active,
  ]
}
const DEAD = [401, 401, 401, false, false]

/** What a node does that asks the database each time. */
async function expectClosed({ url }: TestService, { scene }: Held): Promise<void> {
  const { firm, tokens, owner, member } = scene
  expect(await introspect(url, tokens.refresh_token)).toEqual({ active: false })
  expect(await refresh(url, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } })
  const { answer } = await authorize(url, member.cookie, { tenant: firm.company.slug })
  expect(answer).toMatchObject({ error: 'access_denied' })
  const headers = { authorization: `Bearer ${owner.tokens.access_token}` }
  const looked = await call(`${url}/api/tenants/${firm.company.id}`, { method: 'GET', headers })
  expect(looked).toMatchObject(failure(403, 'TENANT_SUSPENDED'))
}

async function machineErrorOn({ url }: TestService, { scene: { firm } }: Held) {
  const { clientId: client_id, clientSecret: client_secret } = firm.machine
  return (await token(url, { grant_type: 'client_credentials', client_id, client_secret })).body.error
}

describe('a suspension on one node', () => {
  test('is at once one on this node, and on the other a moment later for what it remembers', async () => {
    const held = await newHeld()
    await setSuspended(here, held.scene.firm.company, true)
    await expectClosed(there, held)
    await expectClosed(here, held)
    expect(await usesOn(here, held)).toEqual(DEAD)
    expect(await machineErrorOn(here, held)).toBe('unauthorized_client')
    await expect.poll(() => usesOn(there, held)).toEqual(DEAD)
    expect(await machineErrorOn(there, held)).toBe('unauthorized_client')
  })

  test('is one everywhere at once while the nodes do not hear of changes', async () => {
    const held = await newHeld()
    await whileDeaf([here, there], async () => {
      await setSuspended(here, held.scene.firm.company, true)
      // A line that was opened a moment ago may know nothing older either.
      for (const node of [there, here]) {
        expect(await usesOn(node, held)).toEqual(DEAD)
        expect(await machineErrorOn(node, held)).toBe('unauthorized_client')
        await expectClosed(node, held)
      }
    })
    for (const node of [here, there]) {
      await expect.poll(() => node.ctx.changes.isCurrent(), { timeout: 5000 }).toBe(true)
      await node.ctx.changes.settle()
      expect(await usesOn(node, held)).toEqual(DEAD)
    }
  })

  test('ends on both with the refresh tokens that there were', async () => {
    const held = await newHeld()
    const { firm, tokens } = held.scene
    await setSuspended(here, firm.company, true)
    await expect.poll(() => usesOn(there, held)).toEqual(DEAD)
    await setSuspended(there, firm.company, false)
    const refreshed = await refresh(here.url, tokens.refresh_token)
    expect(refreshed.status).toBe(200)
    await expect.poll(() => machineErrorOn(here, held)).toBe(undefined)
    const renewed = {
      scene: { ...held.scene, tokens: refreshed.body },
      machines: await tokenOf({ ...firm, service: there }),
    }
    for (const node of [here, there]) {
      await expect.poll(() => usesOn(node, renewed)).toEqual([200, 200, 200, true, true])
    }
  })
})
