import { callAdmin } from './admin.ts'
import { type ApiResponse, unique } from './service.ts'

/** A user in the admin API. */
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

/** Calls a user route as the instance machine. */
export const callUsers = <Body = Record<string, unknown>>(
  method: string,
  path = '',
  body?: unknown,
): Promise<ApiResponse<Body>> => callAdmin<Body>(method, `/users${path}`, body)

/** A user with a password, created by the admin API. */
export async function newUser(fields: object = {}): Promise<User & { password: string }> {
  const password = unique('a long enough secret')
  const { status, body } = await callUsers<User>('POST', '', { email: newAddress(), password, ...fields })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return { ...body, password }
}

export async function getUser(email: string): Promise<User> {
  const { body } = await callUsers<UserPage>('GET', `?search=${encodeURIComponent(email)}`)
  const [user] = body.users
  if (!user) throw new Error(`there is no ${email}`)
  return user
}
