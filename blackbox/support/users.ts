import { admin } from './admin.ts'
import { type Answer, unique } from './service.ts'

/** A user as administrators see them. */
export interface User {
  id: string
  email: string
  [field: string]: unknown
}

export interface UserPage {
  users: User[]
  pagination: {
    page: number
    limit: number
    total: number
    pages: number
    totalIsExact: boolean
    next: string | null
  }
}

export const newAddress = () => `${unique('user')}@blackbox.test`

/** Calls a route of one user, or of all, as the instance's machine. */
export const users = <Body = Record<string, unknown>>(
  method: string,
  path = '',
  body?: unknown,
): Promise<Answer<Body>> => admin<Body>(method, `/users${path}`, body)

/** Somebody made by an administrator, with a password. */
export async function newUser(fields: object = {}): Promise<User & { password: string }> {
  const password = unique('a long enough secret')
  const { status, body } = await users<User>('POST', '', { email: newAddress(), password, ...fields })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { ...body, password }
}

/** Whoever registered with an address. */
export async function findUser(email: string): Promise<User> {
  const { body } = await users<UserPage>('GET', `?search=${encodeURIComponent(email)}`)
  const [user] = body.users
  if (!user) throw new Error(`there is no ${email}`)
  return user
}
