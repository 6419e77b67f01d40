import { type Answer, newSomebody, type Somebody } from '../../account/people.ts'
import { callAsOps, type Firm, hireLicensed, mustBe, openFirm, type Worker } from '../../licensing/firm.ts'
import type { TestService } from '../../support/service.ts'
import { obtainTokens, type Tokens } from '../../support/world.ts'
import { employ } from '../company.ts'

/** A firm with people of every kind, and what they hold while it is open. */
export interface Scene {
  firm: Firm
  owner: Somebody
  admin: Somebody
  member: Somebody
  /** Has a seat. */
  worker: Worker
  /** Of the member, for the firm. */
  tokens: Tokens
}

export async function newScene(service: TestService, { seats = 5 } = {}): Promise<Scene> {
  const firm = await openFirm(service, { seats })
  const [owner, admin, member] = [
    await newSomebody(service),
    await newSomebody(service),
    await newSomebody(service),
  ]
  await employ(service, firm.company, owner, { role: 'owner' })
  await employ(service, firm.company, admin, { role: 'admin' })
  await employ(service, firm.company, member)
  const tokens = await obtainTokens(service.url, member.cookie, { tenant: firm.company.slug })
  return { firm, owner, admin, member, worker: await hireLicensed(firm), tokens }
}

/** Suspends a tenant, or ends that, as whoever runs the instance. */
export const setSuspended = (
  service: TestService,
  { id }: { id: string },
  suspended: boolean,
): Promise<Answer> => mustBe(200, callAsOps(service, 'PATCH', `/api/admin/tenants/${id}`, { suspended }))
