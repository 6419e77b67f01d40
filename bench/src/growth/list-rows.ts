import type { GrowthPlan, Operation } from './plan.ts'
import type { Target } from './target.ts'

/** Lists and searches. */

const MAX_RATIO = 1.3
const PAGE_SIZE = 20

interface Page {
  pagination: { total: number; next?: string | null }
}

/** Requests the same page repeatedly. The list must not be empty. */
async function listOperation(target: Target, path: string, headers: Record<string, string>): Promise<Operation> {
  const read = async (): Promise<Page> => JSON.parse(await target.request({ method: 'GET', path, headers }))
  const { pagination } = await read()
  if (pagination.total === 0) throw new Error(`the list is empty: ${path}`)
  return { run: () => target.request({ method: 'GET', path, headers }) }
}

const users = (target: Target, query: Record<string, string>) =>
  listOperation(target, `/api/admin/users?${new URLSearchParams(query)}`, target.as.operator)

const members = (target: Target, query: Record<string, string>) =>
  listOperation(target, `/api/tenants/${target.tenantId}/members?${new URLSearchParams(query)}`, target.as.owner)

/** The number of the page in the middle of a list of all users. */
const middlePage = ({ size }: Target) => String(Math.floor(size / 2 / PAGE_SIZE))

async function usersByCursor(target: Target, sort: string): Promise<Operation> {
  const query = { sort, page: middlePage(target) }
  const path = `/api/admin/users?${new URLSearchParams(query)}`
  const page: Page = JSON.parse(await target.request({ method: 'GET', path, headers: target.as.operator }))
  return users(target, { sort, after: page.pagination.next ?? '' })
}

interface Person {
  email: string
}

/** One of the 30 users with this name, from the middle of the list. */
async function getClara({ find }: Target): Promise<Person> {
  const [person] = await find<Person>(
    `select email from users where given_name = 'Clara' and family_name = 'Schulenberg'
     order by created_at offset 15 limit 1`,
  )
  if (!person) throw new Error('There is no user named Clara Schulenberg.')
  return person
}

const search =
  (words: string, filters: Record<string, string> = {}): GrowthPlan['prepare'] =>
  (target) =>
    users(target, { search: words, ...filters })

const searchAddress =
  (part: (email: string) => string): GrowthPlan['prepare'] =>
  async (target) =>
    users(target, { search: part((await getClara(target)).email) })

const row = (id: string, name: string, prepare: GrowthPlan['prepare']): GrowthPlan => ({
  id: `growth:${id}`,
  name,
  prepare,
  maxRatio: MAX_RATIO,
})

/** No index supports these queries. Their time is bounded but grows, so they have no target (decision 0023). */
const rowWithoutTarget = (id: string, name: string, prepare: GrowthPlan['prepare']): GrowthPlan => ({
  id: `growth:${id}`,
  name,
  prepare,
})

export const listRows: GrowthPlan[] = [
  row('members-first', 'members of a tenant, the first page', (target) => members(target, {})),
  row('members-midway', 'members of a tenant, a page midway by its number', (target) =>
    members(target, { page: middlePage(target) }),
  ),
  row('members-search', 'members of a tenant by given and family name', (target) =>
    members(target, { search: 'clara schulenberg' }),
  ),
  row('users-first', 'all users, the first page', (target) => users(target, {})),
  row('users-midway', 'all users, a page midway by cursor', (target) => usersByCursor(target, '-createdAt')),
  row('users-midway-by-address', 'all users by address, a page midway by cursor', (target) =>
    usersByCursor(target, 'email'),
  ),
  rowWithoutTarget('users-midway-number', 'all users, a page midway by its number', (target) =>
    users(target, { page: middlePage(target) }),
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
  rowWithoutTarget('search-given-by-address', '… sorted by address', search('clara', { sort: 'email' })),
  row('search-letters', 'user search: a few letters of a family name (one in 30)', search('schu')),
  rowWithoutTarget('search-letters-by-address', '… sorted by address', search('schu', { sort: 'email' })),
  rowWithoutTarget('search-two-common', 'user search: both of these (one in 600)', search('clara schu')),
  row('search-firm', 'user search: the domain of a large firm (one in 10)', search('@mail.test')),
]
