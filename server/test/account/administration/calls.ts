import { randomBytes } from 'node:crypto'
import type { TestService } from '../../support/service.ts'
import { machineToken } from '../../support/world.ts'
import { type Answer, addPerson, call } from '../people.ts'

export const USERS = '/api/admin/users'

export interface ShownUser {
  id: string
  email: string
  [field: string]: unknown
}

export interface ShownPage {
  users: ShownUser[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
    totalIsExact: boolean
    next: string | null
  }
}

/** Calls a route of the administration as the instance's machine. */
export async function callAsOps(
  { url }: TestService,
  method: string,
  path = '',
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  return call(url + USERS + path, { method, body, headers })
}

/** A list, as the instance's machine gets it. */
export async function list(service: TestService, query: Record<string, string | number | boolean> = {}) {
  const answer = await callAsOps(service, 'GET', `?${new URLSearchParams(asTexts(query))}`)
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body as unknown as ShownPage
}

const asTexts = (query: Record<string, string | number | boolean>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

/** A word that nobody else in the database is called. */
export const newWord = () => `q${randomBytes(6).toString('hex')}`

/** People whose addresses begin with a word of their own, each made a minute after the one before. */
export async function addCrowd(service: TestService, size: number, traits: object = {}) {
  const word = newWord()
  const start = service.ctx.now().getTime() - 86_400_000
  const people: { id: string; email: string }[] = []
  for (let index = 0; index < size; index++) {
    const email = `${word}-${String(index).padStart(4, '0')}@crowd.test`
    const created_at = new Date(start + index * 60_000)
    people.push(await addPerson(service, { email, created_at, ...traits }))
  }
  return { word, people }
}
