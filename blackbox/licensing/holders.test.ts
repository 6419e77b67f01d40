import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  grantSeat,
  LICENSES,
  newMachineHeaders,
  newTenantMember,
  newTenantWithSeats,
  readLicenseHolders,
} from '../support/licensing.ts'

const { application, tenant, owner, pro } = await newTenantWithSeats()
const member = await newTenantMember({ tenant, owner })
const machine = await newMachineHeaders(application, ['licenses:read'], tenant.id)
const granted = await grantSeat(owner.tenantHeaders, {
  userId: member.userId,
  applicationId: application,
  licenseTypeId: pro.id,
})

describe('the lists of license holders', () => {
  test('contain the license holders and nothing else', async () => {
    const { users, count } = await readLicenseHolders(member.tenantHeaders, application)
    expect(users).toEqual([
      {
        userId: member.userId,
        email: member.person.email,
        givenName: 'Sam',
        familyName: 'Someone',
        licenseType: pro.slug,
        licenseTypeName: 'Pro',
        assignedAt: granted.body.assignedAt,
      },
    ])
    expect(count).toBe(1)
    const { body } = await call('GET', `${LICENSES}/apps/${application}/count`, { headers: machine })
    expect(body).toEqual({ count: 1 })
  })

  test.each(['users', 'count'])('have no %s of an unknown application', async (list) => {
    for (const id of [randomUUID(), 'no-id', '1', "'", '%25', 'a'.repeat(5_000), '__proto__', tenant.id]) {
      const { status, body } = await call('GET', `${LICENSES}/apps/${id}/${list}`, {
        headers: owner.tenantHeaders,
      })
      expect(status, id).toBe(400)
      expect(body, id).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
    }
  })

  test.each(['users', 'count'])('require a token for %s', async (list) => {
    for (const id of [application, 'nonsense']) {
      const { status, body } = await call('GET', `${LICENSES}/apps/${id}/${list}?userId=${member.userId}`)
      expect(status).toBe(401)
      expect(body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    }
  })
})
