import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import {
  admin,
  authorize,
  CALLBACK,
  claimsOf,
  exchange,
  machineToken,
  refresh,
  startDemoService,
  type Tokens,
} from '../support/world.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  changeSubscription,
  createLicensedTenant,
  getMachineToken,
  grant,
  type LicensedTenant,
  requireStatus,
} from './licensed-tenant.ts'

// The license claim of an access token, for the application and the tenant of the token.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

let firm: LicensedTenant
let member: TestUser
let client: string
beforeEach(async () => {
  firm = await createLicensedTenant(service)
  member = await createSignedInUser(service)
  await insertMembership(service, firm.company, member)
  const created = await admin<{ clientId: string }>(service.url, '/api/admin/clients', {
    applicationId: firm.applicationId,
    kind: 'SPA',
    name: 'Desk',
    redirectUris: [CALLBACK],
  })
  client = created.clientId
})

/** Runs the authorization code flow for the firm's own application. */
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

describe('the license claim', () => {
  test('is issued with the code exchange to a license holder, and missing without a license', async () => {
    const without = await obtain()
    expect(claimsOf(without.access_token)).not.toHaveProperty('license')
    await requireStatus(201, grant(firm, member))
    const tokens = await obtain()
    expect(licenseIn(tokens)).toEqual(PRO)
    expect(claimsOf(tokens.id_token)).not.toHaveProperty('license')
  })

  test('is missing after the end of the period, without any job', async () => {
    const currentPeriodEnd = new Date(service.ctx.now().getTime() + 600_000)
    await requireStatus(200, changeSubscription(firm, { currentPeriodEnd }))
    await requireStatus(201, grant(firm, member))
    const tokens = await obtain()
    expect(licenseIn(tokens)).toEqual(PRO)
    service.advance(601_000)
    expect(licenseIn(await refreshed(tokens))).toBeUndefined()
  })

  test('is missing in machine tokens and in tokens without a tenant', async () => {
    for (const token of [
      await getMachineToken(firm),
      await machineToken(service.url, 'demo-ops'),
      member.tokens.access_token,
    ]) {
      expect(claimsOf(token)).not.toHaveProperty('license')
    }
  })
})
