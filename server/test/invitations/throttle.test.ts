import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure, mailTo } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { openHouse } from './desk.ts'
import { type Host, unusedAddress } from './guests.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const resend = ({ somebody, tenant }: Host, id: string) =>
  somebody.call('POST', `/api/tenants/${tenant.id}/invitations/${id}/resend`)
const tooMany = failure(429, 'RATE_LIMITED')

test('one tenant sends an address ten mails within an hour, and another is not held up by that', async () => {
  const [host, other] = [await openHouse(service), await openHouse(service)]
  const { id, email } = await host.invite()
  for (let mail = 2; mail <= 10; mail++) expect((await resend(host, id)).status).toBe(200)
  for (let more = 0; more < 10; more++) {
    const refused = await resend(host, id)
    expect(refused).toMatchObject(tooMany)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(3_600)
  }
  expect(await mailTo(service, email)).toHaveLength(10)
  await other.invite({ email })
  await host.invite()
})

test('one person sends an address thirty mails within an hour, through however many tenants', async () => {
  const email = unusedAddress()
  const { somebody } = await openHouse(service)
  const found = async () => {
    const { id } = (await somebody.call('POST', '/api/tenants', { name: 'One of many' })).body
    return `/api/tenants/${id}/invitations`
  }
  for (let tenant = 0; tenant < 3; tenant++) {
    const path = await found()
    const { id } = (await somebody.call('POST', path, { email })).body
    for (let mail = 2; mail <= 10; mail++) {
      expect((await somebody.call('POST', `${path}/${id}/resend`)).status).toBe(200)
    }
  }
  const path = await found()
  expect(await somebody.call('POST', path, { email })).toMatchObject(tooMany)
  // What was refused leaves nothing behind, and holds up nobody else.
  expect((await somebody.call('GET', path)).body).toEqual({ invitations: [] })
  expect(await mailTo(service, email)).toHaveLength(30)
  await (await openHouse(service)).invite({ email })
})

test('the same tenant in other letters is the same tenant', async () => {
  const host = await openHouse(service)
  const { id } = await host.invite()
  for (let mail = 2; mail <= 10; mail++) expect((await resend(host, id)).status).toBe(200)
  const shouted = { ...host, tenant: { ...host.tenant, id: host.tenant.id.toUpperCase() } }
  expect(await resend(shouted, id)).toMatchObject(tooMany)
})

test('what is refused for another reason counts for nothing', async () => {
  const host = await openHouse(service)
  const { id, email } = await host.invite()
  const path = `/api/tenants/${host.tenant.id}/invitations`
  for (let attempt = 0; attempt < 12; attempt++) {
    expect((await host.somebody.call('POST', path, { email })).body).toMatchObject({
      error: 'INVITATION_EXISTS',
    })
  }
  expect((await resend(host, id)).status).toBe(200)
})
