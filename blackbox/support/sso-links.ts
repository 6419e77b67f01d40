import { callAs, client } from './account.ts'
import type { Browser } from './browser.ts'
import { getTokens, type Tokens } from './oauth.ts'
import { newConfirmedPerson, type Person } from './person.ts'
import { read } from './service.ts'
import { comeBackFrom, newPersonThere } from './sso.ts'

export const SSO = '/api/users/me/sso'

interface Links {
  links: { provider: string; linkedAt: string; lastUsedAt: string }[]
}

export const links = async (tokens: Tokens) => (await callAs(tokens, 'GET', SSO)).body as unknown as Links

/** Begins to link through an application. */
export const link = (tokens: Tokens, body: object) => callAs(tokens, 'POST', `${SSO}/link`, body)

/** Begins to link in a browser. */
export const linkHere = async (browser: Browser, body: object) =>
  read(await browser.postJson(`${SSO}/link`, body))

/** Somebody signed in in a browser, and through an application in it. */
export interface Visitor {
  person: Person
  browser: Browser
  tokens: Tokens
}

export async function newVisitor(): Promise<Visitor> {
  const person = await newConfirmedPerson()
  const browser = await person.signIn()
  return { person, browser, tokens: await getTokens(browser, client) }
}

/** Begins in the browser to link an account there, and comes back with it. */
export async function linkThrough({ browser }: Visitor, provider: string, there = newPersonThere()) {
  const { body } = await linkHere(browser, { provider })
  return browser.get(await comeBackFrom(String(body.url), there))
}
