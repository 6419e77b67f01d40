import { expect, test } from 'vitest'
import {
  grantSeat,
  newMachineHeaders,
  newTenantWithSeats,
  readLicenseHolders,
  readOverview,
} from '../support/licensing.ts'
import { countOutcomes, FULL, rounds, runConcurrently } from '../support/races.ts'
import { newMember } from '../support/tenants.ts'

const REQUESTS = FULL ? 400 : 100

test.each(rounds(5))(`of ${REQUESTS} concurrent requests for the last seat one succeeds, round %i`, async () => {
  const { application, tenant, owner, pro } = await newTenantWithSeats(1)
  const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
  const { userId: other } = await newMember(owner.headers, tenant.id)
  const people = [owner.userId, other]
  const responses = await runConcurrently(REQUESTS, (index) =>
    grantSeat(machine, { userId: people[index % 2], applicationId: application, licenseTypeId: pro.id }),
  )
  expect(countOutcomes(responses)).toEqual({
    '201': 1,
    '400 ALREADY_LICENSED': REQUESTS / 2 - 1,
    '400 NO_SEATS_AVAILABLE': REQUESTS / 2,
  })
  expect(await readLicenseHolders(machine, application)).toMatchObject({ count: 1 })
  expect(await readOverview(tenant.id)).toMatchObject({ totalSeatsAssigned: 1, totalSeatsAvailable: 0 })
})
