import type { Asking, GrowthPlan } from './growth.ts'
import type { Place } from './place.ts'

/** What people ask for: lists, and who is in them. */

const MOST = 1.3
const LIMIT = 20

interface Listed {
  pagination: { total: number; next?: string | null }
}

/** A list that is asked for again and again; it must have somebody in it. */
async function asking(place: Place, path: string, headers: Record<string, string>): Promise<Asking> {
  const read = async (): Promise<Listed> => JSON.parse(await place.ask({ method: 'GET', path, headers }))
  const { pagination } = await read()
  if (pagination.total === 0) throw new Error(`nobody is found by ${path}`)
  return { ask: () => place.ask({ method: 'GET', path, headers }) }
}

const users = (place: Place, query: Record<string, string>) =>
  asking(place, `/api/admin/users?${new URLSearchParams(query)}`, place.as.operator)

const members = (place: Place, query: Record<string, string>) =>
  asking(place, `/api/tenants/${place.tenantId}/members?${new URLSearchParams(query)}`, place.as.owner)

/** The page in the midst of a list of everybody. */
const midway = ({ size }: Place) => String(Math.floor(size / 2 / LIMIT))

async function usersByCursor(place: Place, sort: string): Promise<Asking> {
  const query = { sort, page: midway(place) }
  const path = `/api/admin/users?${new URLSearchParams(query)}`
  const page: Listed = JSON.parse(await place.ask({ method: 'GET', path, headers: place.as.operator }))
  return users(place, { sort, after: page.pagination.next ?? '' })
}

interface Person {
  email: string
  given_name: string
  family_name: string
}

/** Somebody from the midst, whose given name one in twenty people have. */
async function findClara({ find }: Place): Promise<Person> {
  const [person] = await find<Person>(
    `select email, given_name, family_name from users where given_name = 'Clara' and not disabled and email_verified
     order by created_at offset (select count(*) / 2 from users where given_name = 'Clara') limit 1`,
  )
  if (!person) throw new Error('There is no Clara.')
  return person
}

const search = (
  words: (person: Person) => string,
  more: Record<string, string> = {},
): GrowthPlan['prepare'] => {
  return async (place) => users(place, { search: words(await findClara(place)), ...more })
}

const searchMembers =
  (words: (person: Person) => string): GrowthPlan['prepare'] =>
  async (place) =>
    members(place, { search: words(await findClara(place)) })

const row = (id: string, name: string, prepare: GrowthPlan['prepare']): GrowthPlan => ({
  ...{ id: `growth:${id}`, name, prepare },
  most: MOST,
})

export const listRows: GrowthPlan[] = [
  row('members-first', 'members of a tenant, the first page', (place) => members(place, {})),
  row('members-midway', 'members of a tenant, a page midway by its number', (place) =>
    members(place, { page: midway(place) }),
  ),
  row('users-first', 'all users, the first page', (place) => users(place, {})),
  row('users-midway-cursor', 'all users, a page midway by cursor', (place) =>
    usersByCursor(place, '-createdAt'),
  ),
  row('users-midway-number', 'all users, a page midway by its number', (place) =>
    users(place, { page: midway(place) }),
  ),
  row('users-email-cursor', 'all users by address, a page midway by cursor', (place) =>
    usersByCursor(place, 'email'),
  ),
  row(
    'search-address',
    'user search: an address',
    search(({ email }) => email),
  ),
  row(
    'search-most-of-address',
    'user search: an address up to the @',
    search(({ email }) => email.split('@')[0] ?? ''),
  ),
  row(
    'search-family',
    'user search: a family name',
    search(({ family_name }) => family_name),
  ),
  row(
    'search-part-of-family',
    'user search: the first half of a family name',
    search(({ family_name }) => family_name.slice(0, 5)),
  ),
  row(
    'search-two-names',
    'user search: given and family name',
    search((person) => `${person.given_name} ${person.family_name}`),
  ),
  row(
    'search-common',
    'user search: a given name that one in twenty have',
    search(() => 'clara'),
  ),
  row(
    'search-common-by-address',
    'the same, sorted by address',
    search(() => 'clara', { sort: 'email' }),
  ),
  row(
    'search-some',
    'user search: the first three letters of a family name',
    search(({ family_name }) => family_name.slice(0, 3)),
  ),
  row(
    'search-some-by-address',
    'the same, sorted by address',
    search(({ family_name }) => family_name.slice(0, 3), { sort: 'email' }),
  ),
  row(
    'search-two-common',
    'user search: two words that are common, each',
    search(({ family_name }) => `clara ${family_name.slice(0, 3)}`),
  ),
  row(
    'search-large-firm',
    'user search: the domain of one in ten',
    search(() => '@mail.test'),
  ),
  row(
    'search-disabled',
    'user search: a given name, disabled accounts alone',
    search(() => 'clara', { disabled: 'false' }),
  ),
  row(
    'members-search',
    'members of a tenant by a family name',
    searchMembers(({ family_name }) => family_name),
  ),
  row(
    'members-search-address',
    'members of a tenant by an address',
    searchMembers(({ email }) => email),
  ),
]
