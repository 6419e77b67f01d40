import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  exchange,
  machineToken,
  refresh,
  startWorld,
  type Tokens,
} from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { type Firm, grant, mustBe, openFirm, renew, tokenOf } from './firm.ts'

// An access token says what its holder may use of the application that it is for, in the tenant that it is for.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

let firm: Firm
let member: Somebody
let client: string
beforeEach(async () => {
  firm = await openFirm(service)
  member = await newSomebody(service)
  await employ(service, firm.company, member)
  const made = await admin<{ clientId: string }>(service.url, '/api/admin/clients', {
    ...{ applicationId: firm.applicationId, kind: 'SPA', name: 'Desk', redirectUris: [CALLBACK] },
  })
  client = made.clientId
})

/** Tokens by the whole way, of the firm's own application. */
async function obtain(): Promise<Tokens> {
  const request = { client_id: client, tenant: firm.company.slug }
  const { answer } = await authorize(service.url, member.cookie, request)
  const { status, body } = await exchange(service.url, answer.code, { client_id: client })
  expect([status, answer.error]).toEqual([200, undefined])
  return body
}

const refreshed = async ({ refresh_token }: Tokens): Promise<Tokens> => {
  const { status, body } = await refresh(service.url, refresh_token, { client_id: client })
  expect(status).toBe(200)
  return body
}

const licenseIn = ({ access_token }: Tokens) => claimsOf(access_token).license
const PRO = { type: 'pro', name: 'The pro', features: ['edit', 'view'] }

describe('the claim of a licence', () => {
  test('is there for whoever holds one when the code is exchanged, and not at all for others', async () => {
    const without = await obtain()
    expect(claimsOf(without.access_token)).not.toHaveProperty('license')
    await mustBe(201, grant(firm, member))
    const tokens = await obtain()
    expect(licenseIn(tokens)).toEqual(PRO)
    expect(claimsOf(tokens.id_token)).not.toHaveProperty('license')
  })

  test('is gone by the clock alone', async () => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + 600_000)
    await mustBe(200, renew(firm, { currentPeriodEnd }))
    await mustBe(201, grant(firm, member))
    const tokens = await obtain()
    expect(licenseIn(tokens)).toEqual(PRO)
    service.advance(601_000)
    expect(licenseIn(await refreshed(tokens))).toBeUndefined()
  })

  test('is in no token of a machine, nor in one without a tenant', async () => {
    for (const token of [
      await tokenOf(firm),
      await machineToken(service.url, 'demo-ops'),
      member.tokens.access_token,
    ]) {
      expect(claimsOf(token)).not.toHaveProperty('license')
    }
  })
})
