import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getAccountTokens } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { call, errorBody } from '../support/calls.ts'
import {
  getLicense,
  grantSeat,
  newMachineHeaders,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
} from '../support/licensing.ts'
import { invite, listMembers } from '../support/tenants.ts'

const fixture = await newTenantWithSeats()
const { application, tenant, owner } = fixture
const member = await newTenantMember(fixture)
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)

async function explainFor(userId: string) {
  const { status, body } = await getLicense(machine, 'explain', { applicationId: application, userId })
  expect(status).toBe(200)
  return body
}

describe('the MFA policy', () => {
  test('is reported without effect on licenses, and not at all for non-members', async () => {
    const strict = await newTenantWithSeats()
    const reader = await newMachineHeaders(strict.application, ['licenses:read'], strict.tenant.id)
    const explainStrict = (userId: string) =>
      getLicense(reader, 'explain', { userId, applicationId: strict.application })
    await grantSeat(strict.owner.tenantHeaders, {
      userId: strict.owner.userId,
      applicationId: strict.application,
      licenseTypeId: strict.pro.id,
    })
    const path = `/api/tenants/${strict.tenant.id}`
    await call('PATCH', path, { headers: strict.owner.headers, body: { mfaPolicy: 'REQUIRED' } })
    const { body } = await explainStrict(strict.owner.userId)
    expect(body).toMatchObject({ hasLicense: true, decidedBy: 'SEAT', remedy: null })
    expect(body.steps).toContainEqual({ check: 'MFA_POLICY', ok: false, detail: expect.any(String) })

    const outsider = await newTenantWithOwner()
    await addAuthenticatorApp(await getAccountTokens(outsider.owner.person))
    expect((await explainStrict(outsider.owner.userId)).body).toEqual((await explainStrict(randomUUID())).body)
  })
})

test('the explanation for an INVITED member reveals nothing about the account', async () => {
  const strict = await newTenantWithSeats()
  const { headers } = strict.owner
  const reader = await newMachineHeaders(strict.application, ['licenses:read'], strict.tenant.id)
  await call('PATCH', `/api/tenants/${strict.tenant.id}`, { headers, body: { mfaPolicy: 'REQUIRED' } })
  const outsider = await newTenantWithOwner()
  await invite(headers, strict.tenant.id, { email: outsider.owner.person.email })
  const { members } = await listMembers(headers, strict.tenant.id, '?status=INVITED')
  const { body } = await getLicense(reader, 'explain', {
    userId: members[0]?.userId ?? '',
    applicationId: strict.application,
  })
  expect(body).toMatchObject({ decidedBy: 'MEMBERSHIP', message: expect.stringContaining('INVITED') })
  const steps = body.steps as { check: string; ok: boolean }[]
  expect(steps.filter(({ check }) => check === 'USER' || check === 'MFA_POLICY')).toMatchObject([
    { ok: true },
    { ok: true },
  ])
})

test('explanations for other users require admin permissions', async () => {
  const licenseQuery = { userId: owner.userId, applicationId: application }
  const refused = await getLicense(member.tenantHeaders, 'explain', licenseQuery)
  expect(refused.body).toEqual(errorBody(403, 'FORBIDDEN'))
  const own = { ...licenseQuery, userId: member.userId.toUpperCase() }
  for (const response of [
    await getLicense(member.tenantHeaders, 'explain', own),
    await getLicense(owner.tenantHeaders, 'explain', { ...licenseQuery, userId: member.userId }),
    await getLicense((await newTenantMember(fixture, 'admin')).tenantHeaders, 'explain', licenseQuery),
  ]) {
    expect(response.status).toBe(200)
  }
})

test('the explanation for a user of another tenant is that for an unknown user', async () => {
  const outsider = await newTenantWithOwner()
  expect(await explainFor(outsider.owner.userId)).toEqual(await explainFor(randomUUID()))
})
