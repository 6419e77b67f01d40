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
import { employ, newCompany } from '../tenants/company.ts'
import { change, type Firm, grant, mustBe, openFirm, renew, revoke, subscribe, tokenOf } from './firm.ts'

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
async function obtain(tenant: string = firm.company.slug): Promise<Tokens> {
  const { answer } = await authorize(service.url, member.cookie, { client_id: client, tenant })
  const { status, body } = await exchange(service.url, answer.code, { client_id: client })
  expect([status, answer.error]).toEqual([200, undefined])
  return body
}

const refreshed = async ({ refresh_token }: Tokens, tenant?: string): Promise<Tokens> => {
  const form = { client_id: client, ...(tenant !== undefined && { tenant }) }
  const { status, body } = await refresh(service.url, refresh_token, form)
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

  test('follows every change with the next refresh', async () => {
    await subscribe(firm, 'basic', { quantityPurchased: 1 })
    let tokens = await obtain()
    const next = async () => {
      tokens = await refreshed(tokens)
      return licenseIn(tokens)
    }
    expect(await next()).toBeUndefined()
    await mustBe(201, grant(firm, member))
    expect(await next()).toEqual(PRO)
    await mustBe(200, change(firm, member, 'basic'))
    expect(await next()).toEqual({ type: 'basic', name: 'The basic', features: ['view'] })
    await mustBe(200, change(firm, member, 'pro'))
    await mustBe(200, renew(firm, { status: 'EXPIRED' }))
    expect(await next()).toBeUndefined()
    await mustBe(200, renew(firm, { status: 'ACTIVE' }))
    expect(await next()).toEqual(PRO)
    await mustBe(200, revoke(firm, member))
    expect(await next()).toBeUndefined()
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

  test('is that of the tenant a refresh switches to', async () => {
    const other = await newCompany(service)
    await employ(service, other, member)
    await mustBe(201, grant(firm, member))
    const tokens = await obtain(other.slug)
    expect(licenseIn(tokens)).toBeUndefined()
    const switched = await refreshed(tokens, firm.company.slug)
    expect(claimsOf(switched.access_token)).toMatchObject({ tenant_id: firm.company.id, license: PRO })
    const back = await refreshed(switched, other.slug)
    expect(claimsOf(back.access_token)).toMatchObject({ tenant_id: other.id })
    expect(licenseIn(back)).toBeUndefined()
  })

  test('is of no other application', async () => {
    await mustBe(201, grant(firm, member))
    const { answer } = await authorize(service.url, member.cookie, { tenant: firm.company.slug })
    const { body } = await exchange(service.url, answer.code)
    expect(claimsOf(body.access_token)).toMatchObject({ tenant_id: firm.company.id })
    expect(licenseIn(body)).toBeUndefined()
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
