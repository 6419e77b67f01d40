import { type ApiResponse, createSignedInUser, type TestUser } from '../../account/people.ts'
import {
  addLicensedMember,
  callAsOps,
  createLicensedTenant,
  type LicensedTenant,
  requireStatus,
  type TestMember,
} from '../../licensing/licensed-tenant.ts'
import type { TestService } from '../../support/service.ts'
import { obtainTokens, type Tokens } from '../../support/world.ts'
import { insertMembership } from '../tenant-rows.ts'

/** A tenant with members of every role, a licensed user, and tokens from before a suspension. */
export interface Fixture {
  firm: LicensedTenant
  owner: TestUser
  admin: TestUser
  member: TestUser
  /** A member with a seat. */
  worker: TestMember
  /** Tokens of the member for the tenant. */
  tokens: Tokens
}

export async function createFixture(service: TestService, { seats = 5 } = {}): Promise<Fixture> {
  const firm = await createLicensedTenant(service, { seats })
  const [owner, admin, member] = [
    await createSignedInUser(service),
    await createSignedInUser(service),
    await createSignedInUser(service),
  ]
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  await insertMembership(service, firm.company, admin, { role: 'admin' })
  await insertMembership(service, firm.company, member)
  const tokens = await obtainTokens(service.url, member.cookie, { tenant: firm.company.slug })
  return { firm, owner, admin, member, worker: await addLicensedMember(firm), tokens }
}

/** Suspends or reactivates a tenant as an operator. */
export const setSuspended = (service: TestService, { id }: { id: string }, suspended: boolean): Promise<ApiResponse> =>
  requireStatus(200, callAsOps(service, 'PATCH', `/api/admin/tenants/${id}`, { suspended }))
