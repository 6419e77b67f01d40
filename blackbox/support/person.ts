import { type Browser, openBrowser } from './browser.ts'
import { findToken, listMails } from './mail.ts'
import { readResponse, unique } from './service.ts'

export interface Person {
  email: string
  password: string
  /** Opens a new browser with a new session. */
  signIn(): Promise<Browser>
}

/** A person of the demo data. Tests must not change it, because all suites share it. */
export const demoPerson = (email: string) => createPerson(email, 'latchkey-demo-2026')

/** A new person without a tenant. */
export async function newPerson(): Promise<Person> {
  const person = createPerson(`${unique('someone')}@blackbox.test`, unique('a long enough secret'))
  const { email, password } = person
  const body = { email, password, givenName: 'Sam', familyName: 'Someone' }
  const response = await readResponse(await openBrowser().postJson('/api/auth/register', body))
  if (response.status !== 201) throw new Error(`register: ${response.status} ${JSON.stringify(response.body)}`)
  return person
}

/** The same with a confirmed address. */
export async function newConfirmedPerson(): Promise<Person> {
  const person = await newPerson()
  const token = findToken((await listMails(person.email))[0])
  const response = await readResponse(await openBrowser().postJson('/api/auth/email/verify', { token }))
  if (response.status !== 200) throw new Error(`verify: ${response.status} ${JSON.stringify(response.body)}`)
  return person
}

/** A person with a known password. */
export function createPerson(email: string, password: string): Person {
  return {
    email,
    password,
    async signIn() {
      const browser = openBrowser()
      const response = await readResponse(await browser.postJson('/api/auth/login', { email, password }))
      if (response.status !== 200) throw new Error(`login: ${response.status} ${JSON.stringify(response.body)}`)
      return browser
    },
  }
}
