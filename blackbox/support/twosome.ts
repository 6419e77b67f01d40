import { call } from './calls.ts'
import { type Insider, joinTenant, listMembers, type Member, newInsider, newTenant } from './tenants.ts'

/** Two people who found a tenant together as often as they are asked to. */
export interface Pair {
  first: Insider
  second: Insider
}

/** One pair may do so 30 times: then its second has been sent as many invitations as anybody is in an hour. */
export const newPair = async (): Promise<Pair> => ({
  first: await newInsider(),
  second: await newInsider(),
})

export interface Twosome {
  id: string
  slug: string
  path: string
  first: Member
  second: Member
}

/** A tenant that the first owns, and the second as well unless said otherwise. */
export async function newTwosome(
  { first, second }: Pair,
  role: 'owner' | 'admin' | 'member' = 'owner',
): Promise<Twosome> {
  const { id, slug } = await newTenant(first.headers)
  await joinTenant(first.headers, id, { ...second, role })
  const { members } = await listMembers(first.headers, id)
  const own = (insider: Insider): Member => {
    const found = members.find(({ user }) => user.email === insider.person.email)
    if (!found) throw new Error(`${insider.person.email} is no member`)
    return { ...insider, membershipId: found.id, userId: found.userId }
  }
  return { id, slug, path: `/api/tenants/${id}`, first: own(first), second: own(second) }
}

/** Who owns the tenant, asked as whoever of the two still may. */
export async function ownersOf({ path, first, second }: Twosome): Promise<string[]> {
  for (const { headers } of [first, second]) {
    const { body } = await call<{ members?: { user: { email: string } }[] }>(
      'GET',
      `${path}/members?role=owner&status=ACTIVE`,
      { headers },
    )
    if (body.members) return body.members.map(({ user }) => user.email)
  }
  return []
}
