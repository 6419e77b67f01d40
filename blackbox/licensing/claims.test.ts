import { expect, test } from 'vitest'
import { newClient } from '../support/admin.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import {
  change,
  changeSubscription,
  grant,
  newInside,
  newMachineHeaders,
  newSeats,
  newSubscription,
  newType,
  revoke,
  runInstance,
} from '../support/licensing.ts'
import { getTokens, refresh } from '../support/oauth.ts'
import { newTenant } from '../support/tenants.ts'

const { application, tenant, owner, pro, subscription } = await newSeats(3)
const [client, member, max] = await Promise.all([
  newClient(application, 'SPA'),
  newInside({ tenant, owner }),
  newType(application, { name: 'Max', features: { everything: true } }),
])
await newSubscription(tenant.id, max.id)
const about = { userId: member.userId, applicationId: application }
const signIn = async (person = member.person, slug: string | undefined = tenant.slug) =>
  getTokens(await person.signIn(), client, { tenant: slug })
const licenseIn = async (token: string) => (await verifyAccessToken(token, application)).license
const held = (type: { slug: string; name: string }, features: string[]) => ({
  type: type.slug,
  name: type.name,
  features,
})

test('an access token carries the licence for its application, as it is at each refresh', async () => {
  let tokens = await signIn()
  const next = async () => {
    const answer = await refresh(client, tokens.refresh_token)
    expect(answer.status).toBe(200)
    tokens = answer.body
    return licenseIn(tokens.access_token)
  }
  expect(await verifyAccessToken(tokens.access_token, application)).not.toHaveProperty('license')
  await grant(owner.inside, { ...about, licenseTypeId: pro.id })
  expect(await next()).toEqual(held(pro, ['export', 'reports']))
  expect(await licenseIn((await signIn()).access_token)).toEqual(held(pro, ['export', 'reports']))
  await runInstance('PATCH', `/license-types/${pro.id}`, { features: { reports: true } })
  expect(await next()).toEqual(held(pro, ['reports']))
  await change(owner.inside, { ...about, licenseTypeId: max.id })
  expect(await next()).toEqual(held(max, ['everything']))
  await change(owner.inside, { ...about, licenseTypeId: pro.id })
  await changeSubscription(subscription.id, { status: 'EXPIRED' })
  expect(await next()).toBeUndefined()
  await changeSubscription(subscription.id, { status: 'ACTIVE' })
  expect(await next()).toEqual(held(pro, ['reports']))
  await revoke(owner.inside, about)
  expect(await next()).toBeUndefined()
  expect(await verifyAccessToken(tokens.access_token, application)).not.toHaveProperty('license')
})

test('the licence of one tenant is not shown in a token for another, nor in one for none', async () => {
  const second = await newTenant(owner.headers)
  await grant(owner.inside, { userId: owner.userId, applicationId: application, licenseTypeId: pro.id })
  const here = await signIn(owner.person)
  expect(await licenseIn(here.access_token)).toMatchObject({ type: pro.slug })
  expect(await licenseIn((await signIn(owner.person, second.slug)).access_token)).toBeUndefined()
  const moved = await refresh(client, here.refresh_token, { tenant: second.slug })
  expect(await verifyAccessToken(moved.body.access_token)).toMatchObject({ tenant_id: second.id })
  expect(await licenseIn(moved.body.access_token)).toBeUndefined()
  const back = await refresh(client, moved.body.refresh_token, { tenant: tenant.slug })
  expect(await licenseIn(back.body.access_token)).toMatchObject({ type: pro.slug })
  await revoke(owner.inside, { applicationId: application })
})

test('a token for another application carries no licence of this one', async () => {
  await grant(owner.inside, { userId: owner.userId, applicationId: application, licenseTypeId: pro.id })
  const other = await newSeats(0)
  const elsewhere = await newClient(other.application, 'SPA')
  const tokens = await getTokens(await owner.person.signIn(), elsewhere, { tenant: tenant.slug })
  const claims = await verifyAccessToken(tokens.access_token, other.application)
  expect(claims).toMatchObject({ tenant_id: tenant.id })
  expect(claims).not.toHaveProperty('license')
  await revoke(owner.inside, { applicationId: application })
})

test('the token of a machine carries no licence', async () => {
  const { authorization = '' } = await newMachineHeaders(application, ['licenses:read'], tenant.id)
  expect(await verifyAccessToken(authorization.slice('Bearer '.length))).not.toHaveProperty('license')
})
