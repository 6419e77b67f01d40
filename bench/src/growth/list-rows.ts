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
}

/** Somebody from the midst, whom thirty others are called like. */
async function findClara({ find }: Place): Promise<Person> {
  const [person] = await find<Person>(
    `select email from users where given_name = 'Clara' and family_name = 'Schulenberg'
     order by created_at offset 15 limit 1`,
  )
  if (!person) throw new Error('There is no Clara.')
  return person
}

const search =
  (words: string, more: Record<string, string> = {}): GrowthPlan['prepare'] =>
  (place) =>
    users(place, { search: words, ...more })

const searchAddress =
  (part: (email: string) => string): GrowthPlan['prepare'] =>
  async (place) =>
    users(place, { search: part((await findClara(place)).email) })

const row = (id: string, name: string, prepare: GrowthPlan['prepare']): GrowthPlan => ({
  ...{ id: `growth:${id}`, name, prepare },
  most: MOST,
})

/** What no index answers: it is bounded, and shown, and grows (decision 0023). */
const growing = (id: string, name: string, prepare: GrowthPlan['prepare']): GrowthPlan => ({
  ...{ id: `growth:${id}`, name, prepare },
})

export const listRows: GrowthPlan[] = [
  row('members-first', 'members of a tenant, the first page', (place) => members(place, {})),
  row('members-midway', 'members of a tenant, a page midway by its number', (place) =>
    members(place, { page: midway(place) }),
  ),
  row('members-search', 'members of a tenant by given and family name', (place) =>
    members(place, { search: 'clara schulenberg' }),
  ),
  row('users-first', 'all users, the first page', (place) => users(place, {})),
  row('users-midway', 'all users, a page midway by cursor', (place) => usersByCursor(place, '-createdAt')),
  row('users-midway-by-address', 'all users by address, a page midway by cursor', (place) =>
    usersByCursor(place, 'email'),
  ),
  growing('users-midway-number', 'all users, a page midway by its number', (place) =>
    users(place, { page: midway(place) }),
  ),
  row('search-address', 'user search: an address', searchAddress(String)),
  row(
    'search-most-of-address',
    'user search: an address up to the @',
    searchAddress((email) => email.split('@')[0] ?? ''),
  ),
  row('search-names', 'user search: given and family name', search('clara schulenberg')),
  row('search-family', 'user search: a family name', search('schulenberg')),
  row('search-part', 'user search: the beginning of a family name (one in 750)', search('schulen')),
  row('search-given', 'user search: a given name (one in 20)', search('clara')),
  row('search-given-enabled', '… of accounts that are not disabled', search('clara', { disabled: 'false' })),
  growing('search-given-by-address', '… sorted by address', search('clara', { sort: 'email' })),
  row('search-letters', 'user search: a few letters of a family name (one in 30)', search('schu')),
  growing('search-letters-by-address', '… sorted by address', search('schu', { sort: 'email' })),
  growing('search-two-common', 'user search: both of these (one in 600)', search('clara schu')),
  row('search-firm', 'user search: the domain of a large firm (one in 10)', search('@mail.test')),
]
