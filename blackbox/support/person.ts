import { type Browser, openBrowser } from './browser.ts'
import { mailTo, tokenIn } from './mail.ts'
import { read, unique } from './service.ts'

export interface Person {
  email: string
  password: string
  /** Opens a browser of its own with a session of its own. */
  signIn(): Promise<Browser>
}

/** Somebody of the demo world. Read with them, change nothing about them: every suite meets the same person. */
export const demoPerson = (email: string) => person(email, 'latchkey-demo-2026')

/** Somebody who belongs to one test file, without any tenant. */
export async function newPerson(): Promise<Person> {
  const somebody = person(`${unique('someone')}@blackbox.test`, unique('a long enough secret'))
  const { email, password } = somebody
  const body = { email, password, givenName: 'Sam', familyName: 'Someone' }
  const answer = await read(await openBrowser().postJson('/api/auth/register', body))
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${JSON.stringify(answer.body)}`)
  return somebody
}

/** The same, who has followed the link that was mailed to them. */
export async function newConfirmedPerson(): Promise<Person> {
  const somebody = await newPerson()
  const token = tokenIn((await mailTo(somebody.email))[0])
  const answer = await read(await openBrowser().postJson('/api/auth/email/verify', { token }))
  if (answer.status !== 200) throw new Error(`verify: ${answer.status} ${JSON.stringify(answer.body)}`)
  return somebody
}

/** Somebody whose password is known. */
export function person(email: string, password: string): Person {
  return {
    email,
    password,
    async signIn() {
      const browser = openBrowser()
      const answer = await read(await browser.postJson('/api/auth/login', { email, password }))
      if (answer.status !== 200) throw new Error(`login: ${answer.status} ${JSON.stringify(answer.body)}`)
      return browser
    },
  }
}
