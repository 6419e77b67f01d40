import { randomBytes } from 'node:crypto'
import { type ApiResponse, call, insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { machineToken } from '../support/world.ts'

export const USERS = '/api/admin/users'

export interface ListedUser {
  id: string
  email: string
  [field: string]: unknown
}

export interface UserPage {
  users: ListedUser[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
    totalIsExact: boolean
    next: string | null
  }
}

/** Calls an administration route with the demo-ops client. */
export async function callAsOps({ url }: TestService, method: string, path = '', body?: unknown): Promise<ApiResponse> {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + USERS + path, { method, body, headers })
}

/** Lists users with the demo-ops client. */
export async function list(service: TestService, query: Record<string, string | number | boolean> = {}) {
  const answer = await callAsOps(service, 'GET', `?${new URLSearchParams(toStrings(query))}`)
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as UserPage
}

const toStrings = (query: Record<string, string | number | boolean>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

/** A search word that no other user has. */
export const newWord = () => `q${randomBytes(6).toString('hex')}`

/** Users whose addresses begin with a unique word, created one minute apart. */
export async function addCrowd(service: TestService, size: number, traits: object = {}) {
  const word = newWord()
  const start = service.ctx.now().getTime() - 86_400_000
  const people: { id: string; email: string }[] = []
  for (let index = 0; index < size; index++) {
    const email = `${word}-${String(index).padStart(4, '0')}@crowd.test`
    const created_at = new Date(start + index * 60_000)
    people.push(await insertUser(service, { email, created_at, ...traits }))
  }
  return { word, people }
}
