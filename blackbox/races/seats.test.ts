import { expect, test } from 'vitest'
import { grant, newMachineHeaders, newSeats, readHolders, readOverview } from '../support/licensing.ts'
import { atOnce, rounds, tally } from '../support/races.ts'
import { newMember } from '../support/tenants.ts'

test.each(rounds(5))('of four hundred who ask at once for the last seat one gets it, round %i', async () => {
  const { application, tenant, owner, pro } = await newSeats(1)
  const machine = await newMachineHeaders(application, ['licenses:write'], tenant.id)
  const { userId: other } = await newMember(owner.headers, tenant.id)
  const people = [owner.userId, other]
  const answers = await atOnce(400, (index) =>
    grant(machine, { userId: people[index % 2], applicationId: application, licenseTypeId: pro.id }),
  )
  expect(tally(answers)).toEqual({ '201': 1, '400 ALREADY_LICENSED': 199, '400 NO_SEATS_AVAILABLE': 200 })
  expect(await readHolders(machine, application)).toMatchObject({ count: 1 })
  expect(await readOverview(tenant.id)).toMatchObject({ totalSeatsAssigned: 1, totalSeatsAvailable: 0 })
})
