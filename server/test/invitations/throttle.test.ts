import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorReply, listMailTo } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { type Host, unusedAddress } from './hosts.ts'
import { createHost } from './invitation-api.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const resend = ({ user, tenant }: Host, id: string) =>
  user.call('POST', `/api/tenants/${tenant.id}/invitations/${id}/resend`)
const tooMany = errorReply(429, 'RATE_LIMITED')

test('one tenant can send ten mails an hour to an address, without effect on another tenant', async () => {
  const [host, other] = [await createHost(service), await createHost(service)]
  const { id, email } = await host.invite()
  for (let mail = 2; mail <= 10; mail++) expect((await resend(host, id)).status).toBe(200)
  for (let more = 0; more < 10; more++) {
    const refused = await resend(host, id)
    expect(refused).toMatchObject(tooMany)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(3_600)
  }
  expect(await listMailTo(service, email)).toHaveLength(10)
  await other.invite({ email })
  await host.invite()
})

test('one person can send thirty mails an hour to an address, through any number of tenants', async () => {
  const email = unusedAddress()
  const { user } = await createHost(service)
  const createTenant = async () => {
    const { id } = (await user.call('POST', '/api/tenants', { name: 'One of many' })).body
    return `/api/tenants/${id}/invitations`
  }
  for (let tenant = 0; tenant < 3; tenant++) {
    const path = await createTenant()
    const { id } = (await user.call('POST', path, { email })).body
    for (let mail = 2; mail <= 10; mail++) {
      expect((await user.call('POST', `${path}/${id}/resend`)).status).toBe(200)
    }
  }
  const path = await createTenant()
  expect(await user.call('POST', path, { email })).toMatchObject(tooMany)
  // The refused request stores nothing, and does not affect other people.
  expect((await user.call('GET', path)).body).toEqual({ invitations: [] })
  expect(await listMailTo(service, email)).toHaveLength(30)
  await (await createHost(service)).invite({ email })
})

test('a tenant id in another letter case is the same tenant', async () => {
  const host = await createHost(service)
  const { id } = await host.invite()
  for (let mail = 2; mail <= 10; mail++) expect((await resend(host, id)).status).toBe(200)
  const upperCase = { ...host, tenant: { ...host.tenant, id: host.tenant.id.toUpperCase() } }
  expect(await resend(upperCase, id)).toMatchObject(tooMany)
})

test('a request that is refused for another reason does not count', async () => {
  const host = await createHost(service)
  const { id, email } = await host.invite()
  const path = `/api/tenants/${host.tenant.id}/invitations`
  for (let attempt = 0; attempt < 12; attempt++) {
    expect((await host.user.call('POST', path, { email })).body).toMatchObject({
      error: 'INVITATION_EXISTS',
    })
  }
  expect((await resend(host, id)).status).toBe(200)
})
