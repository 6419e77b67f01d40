import { call } from './calls.ts'
import { type Caller, joinTenant, listMembers, type Member, newCaller, newTenant } from './tenants.ts'

/** Two people who can create several tenants together. */
export interface Pair {
  first: Caller
  second: Caller
}

/** At most 30 tenants per pair: then the second person has reached the hourly mail quota for invitations. */
export const newPair = async (): Promise<Pair> => ({
  first: await newCaller(),
  second: await newCaller(),
})

export interface SharedTenant {
  id: string
  slug: string
  path: string
  first: Member
  second: Member
}

/** A tenant with the first person as owner, and the second with the given role. */
export async function newSharedTenant(
  { first, second }: Pair,
  role: 'owner' | 'admin' | 'member' = 'owner',
): Promise<SharedTenant> {
  const { id, slug } = await newTenant(first.headers)
  await joinTenant(first.headers, id, { ...second, role })
  const { members } = await listMembers(first.headers, id)
  const toMember = (caller: Caller): Member => {
    const membership = members.find(({ user }) => user.email === caller.person.email)
    if (!membership) throw new Error(`${caller.person.email} is not a member`)
    return { ...caller, membershipId: membership.id, userId: membership.userId }
  }
  return { id, slug, path: `/api/tenants/${id}`, first: toMember(first), second: toMember(second) }
}

/** The addresses of the owners, read by a person who is still a member. */
export async function listOwners({ path, first, second }: SharedTenant): Promise<string[]> {
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
