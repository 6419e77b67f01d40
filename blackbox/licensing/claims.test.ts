import { expect, test } from 'vitest'
import { newClient } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  callLicensing,
  changeSeat,
  changeSubscription,
  grantSeat,
  newLicenseType,
  newMachineHeaders,
  newSubscription,
  newTenantMember,
  newTenantWithSeats,
  revokeSeat,
} from '../support/licensing.ts'
import { getTokens, refreshTokens } from '../support/oauth.ts'
import { newTenant } from '../support/tenants.ts'

const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(3)
const [client, member, max] = await Promise.all([
  newClient(application, 'SPA'),
  newTenantMember({ tenant, owner }),
  newLicenseType(application, { name: 'Max', features: { everything: true } }),
])
await newSubscription(tenant.id, max.id)
const licenseQuery = { userId: member.userId, applicationId: application }
const signIn = async (person = member.person, slug: string | undefined = tenant.slug) =>
  getTokens(await person.signIn(), client, { tenant: slug })
const licenseIn = async (token: string) => (await verifyAccessToken(token, application)).license
const expectedLicense = (type: { slug: string; name: string }, features: string[]) => ({
  type: type.slug,
  name: type.name,
  features,
})

test('an access token has the license for its application, updated at each refresh', async () => {
  let tokens = await signIn()
  const next = async () => {
    const response = await refreshTokens(client, tokens.refresh_token)
    expect(response.status).toBe(200)
    tokens = response.body
    return licenseIn(tokens.access_token)
  }
  expect(await verifyAccessToken(tokens.access_token, application)).not.toHaveProperty('license')
  await grantSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })
  expect(await next()).toEqual(expectedLicense(pro, ['export', 'reports']))
  expect(await licenseIn((await signIn()).access_token)).toEqual(expectedLicense(pro, ['export', 'reports']))
  await callLicensing('PATCH', `/license-types/${pro.id}`, { features: { reports: true } })
  expect(await next()).toEqual(expectedLicense(pro, ['reports']))
  await changeSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: max.id })
  expect(await next()).toEqual(expectedLicense(max, ['everything']))
  await changeSeat(owner.tenantHeaders, { ...licenseQuery, licenseTypeId: pro.id })
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  expect(await next()).toBeUndefined()
  await changeSubscription(subscription.id, { status: 'ACTIVE' })
  expect(await next()).toEqual(expectedLicense(pro, ['reports']))
  await revokeSeat(owner.tenantHeaders, licenseQuery)
  expect(await next()).toBeUndefined()
  expect(await verifyAccessToken(tokens.access_token, application)).not.toHaveProperty('license')
})

test('a token for another tenant or none has no license claim', async () => {
  const second = await newTenant(owner.headers)
  await grantSeat(owner.tenantHeaders, {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
  })
  const here = await signIn(owner.person)
  expect(await licenseIn(here.access_token)).toMatchObject({ type: pro.slug })
  expect(await licenseIn((await signIn(owner.person, second.slug)).access_token)).toBeUndefined()
  const moved = await refreshTokens(client, here.refresh_token, { tenant: second.slug })
  expect(await verifyAccessToken(moved.body.access_token)).toMatchObject({ tenant_id: second.id })
  expect(await licenseIn(moved.body.access_token)).toBeUndefined()
  const back = await refreshTokens(client, moved.body.refresh_token, { tenant: tenant.slug })
  expect(await licenseIn(back.body.access_token)).toMatchObject({ type: pro.slug })
  await revokeSeat(owner.tenantHeaders, { applicationId: application })
})

test('a token for another application has no license claim of this one', async () => {
  await grantSeat(owner.tenantHeaders, {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
  })
  const other = await newTenantWithSeats(0)
  const otherClient = await newClient(other.application, 'SPA')
  const tokens = await getTokens(await owner.person.signIn(), otherClient, { tenant: tenant.slug })
  const claims = await verifyAccessToken(tokens.access_token, other.application)
  expect(claims).toMatchObject({ tenant_id: tenant.id })
  expect(claims).not.toHaveProperty('license')
  await revokeSeat(owner.tenantHeaders, { applicationId: application })
})

test('a machine token has no license claim', async () => {
  const { authorization = '' } = await newMachineHeaders(application, ['licenses:read'], tenant.id)
  expect(await verifyAccessToken(authorization.slice('Bearer '.length))).not.toHaveProperty('license')
})
