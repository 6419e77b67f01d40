import { newApplication, newClient } from './admin.ts'
import { call } from './calls.ts'
import { bearer, getTokens, type Tokens } from './oauth.ts'
import { newConfirmedPerson, newPerson, type Person } from './person.ts'

/** A client of our own, whose tokens may look after an account. */
export const client = await newClient(await newApplication({ trusted: true }), 'SPA')

/** Calls a route as the holder of an access token. */
export const callAs = ({ access_token }: Tokens, method: string, path: string, body?: unknown) =>
  call(method, path, { body, headers: bearer(access_token) })

/** Somebody new, signed in through an application of ours. */
export const newHolder = async (): Promise<Holder> => hold(await newPerson())

/** The same, with an address that is surely theirs. */
export const newConfirmedHolder = async (): Promise<Holder> => hold(await newConfirmedPerson())

/** The tokens of somebody, and the password that changes of how they sign in ask for. */
export interface HeldTokens extends Tokens {
  password: string
}

interface Holder {
  person: Person
  tokens: HeldTokens
}

const hold = async (person: Person): Promise<Holder> => ({ person, tokens: await getHeldTokens(person) })

export const getHeldTokens = async (person: Person): Promise<HeldTokens> => ({
  ...(await getTokens(await person.signIn(), client)),
  password: person.password,
})

export const logIn = async (email: string, password: string): Promise<number> =>
  (await call('POST', '/api/auth/login', { body: { email, password } })).status

export const refused = (status: number, error: string) => ({ status, body: { statusCode: status, error } })
