import { newApplication, newClient } from './admin.ts'
import { call } from './calls.ts'
import { bearer, getTokens, type Tokens } from './oauth.ts'
import { newConfirmedPerson, newPerson, type Person } from './person.ts'

/** A trusted client, whose tokens may manage the account. */
export const client = await newClient(await newApplication({ trusted: true }), 'SPA')

/** Calls a route with an access token. */
export const callAs = ({ access_token }: Tokens, method: string, path: string, body?: unknown) =>
  call(method, path, { body, headers: bearer(access_token) })

/** A new person with tokens of a trusted application. */
export const newAccount = async (): Promise<Account> => toAccount(await newPerson())

/** The same with a confirmed address. */
export const newConfirmedAccount = async (): Promise<Account> => toAccount(await newConfirmedPerson())

/** Tokens, and the password that changes of sign-in methods require. */
export interface AccountTokens extends Tokens {
  password: string
}

interface Account {
  person: Person
  tokens: AccountTokens
}

const toAccount = async (person: Person): Promise<Account> => ({
  person,
  tokens: await getAccountTokens(person),
})

export const getAccountTokens = async (person: Person): Promise<AccountTokens> => ({
  ...(await getTokens(await person.signIn(), client)),
  password: person.password,
})

export const logIn = async (email: string, password: string): Promise<number> =>
  (await call('POST', '/api/auth/login', { body: { email, password } })).status

export const errorResponse = (status: number, error: string) => ({
  status,
  body: { statusCode: status, error },
})
