import { expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { callAdmin, newApplication } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage } from '../support/calls.ts'
import { type Headers, newMachineHeaders, newTenantWithSeats, thirdPartyHeaders } from '../support/licensing.ts'
import { demoPerson } from '../support/person.ts'
import { newOwnedTenant } from '../support/tenants.ts'
import { newUser } from '../support/users.ts'

interface Overview {
  users: { total: number }
  signIns: { day: string; succeeded: number; failed: number }[]
  seats: { purchased: number; assigned: number }
}

const readOverview = async (): Promise<Overview> => {
  const { status, body } = await callAdmin<Overview>('GET', '/overview')
  expect(status).toBe(200)
  return body
}

const superAdmin = demoPerson('admin@latchkey.test')

test('the overview contains the documented fields only', async () => {
  const count = expect.any(Number)
  const overview = await readOverview()
  expect(overview).toEqual({
    version: expect.any(String),
    users: { total: count, disabled: count, deletionRequested: count },
    tenants: { total: count, suspended: count },
    applications: count,
    clients: count,
    sessions: count,
    signIns: expect.any(Array),
    seats: { purchased: count, assigned: count },
    tokenLifetimes: {
      accessTokenTtl: count,
      idTokenTtl: count,
      refreshTokenIdleTtl: count,
      refreshTokenTtl: count,
    },
    health: {
      database: 'ok',
      mailWaiting: count,
      jobsWaiting: count,
      webhooksWaiting: count,
      webhooksDisabled: count,
      auditBehind: count,
      signingKey: { kid: expect.any(String), ageDays: count },
    },
  })
  const days = overview.signIns.map(({ day }) => Date.parse(day))
  expect(days).toHaveLength(14)
  for (const [index, day] of days.slice(1).entries()) expect(day - (days[index] ?? 0)).toBe(86_400_000)
})

// Other suites use the same instance, so counts that can decrease are not checked.
test('the counts follow changes', async () => {
  const before = await readOverview()
  await newUser()
  await superAdmin.signIn()
  await newTenantWithSeats(5)
  const after = await readOverview()
  expect(after.users.total).toBeGreaterThan(before.users.total)
  const sum = ({ signIns }: Overview) => signIns.reduce((all, { succeeded }) => all + succeeded, 0)
  expect(sum(after)).toBeGreaterThan(sum(before))
  expect(after.seats.purchased).toBeGreaterThanOrEqual(after.seats.assigned)
})

test('only operators have access', async () => {
  const application = await newApplication()
  const { tenant, owner } = await newOwnedTenant()
  const callers: [string, Headers, number][] = [
    ['a Super Admin', await asPerson(superAdmin, client), 200],
    ['a machine with the scope admin', await newMachineHeaders(application, ['admin']), 200],
    ['a machine with another scope', await newMachineHeaders(application, ['licenses:write']), 403],
    ['a machine of a tenant', await newMachineHeaders(application, ['admin'], tenant.id), 403],
    ['the owner of a tenant', owner.headers, 403],
    ['a third-party application of a Super Admin', await thirdPartyHeaders(superAdmin), 403],
    ['the cookie of a Super Admin', fromOwnPage(await superAdmin.signIn()), 401],
    ['no authentication', {}, 401],
  ]
  for (const [who, headers, status] of callers) {
    const response = await call('GET', '/api/admin/overview', { headers })
    expect(response.status, who).toBe(status)
    if (status === 200) continue
    expect(response.body, who).toEqual(errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
  }
})
