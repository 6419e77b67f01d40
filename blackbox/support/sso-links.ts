import { callAs, client } from './account.ts'
import type { Browser } from './browser.ts'
import { getTokens, type Tokens } from './oauth.ts'
import { newConfirmedPerson, type Person } from './person.ts'
import { readResponse } from './service.ts'
import { newProviderAccount, signInAtProvider } from './sso.ts'

export const SSO_PATH = '/api/users/me/sso'

interface Links {
  links: { provider: string; linkedAt: string; lastUsedAt: string }[]
}

export const listLinks = async (tokens: Tokens) => (await callAs(tokens, 'GET', SSO_PATH)).body as unknown as Links

/** Starts linking with an access token. */
export const startLink = (tokens: Tokens, body: object) => callAs(tokens, 'POST', `${SSO_PATH}/link`, body)

/** Starts linking with a session cookie. */
export const startLinkInBrowser = async (browser: Browser, body: object) =>
  readResponse(await browser.postJson(`${SSO_PATH}/link`, body))

/** A person with a browser session, and tokens from it. */
export interface SignedInPerson {
  person: Person
  browser: Browser
  tokens: Tokens
}

export async function newSignedInPerson(): Promise<SignedInPerson> {
  const person = await newConfirmedPerson()
  const browser = await person.signIn()
  return { person, browser, tokens: await getTokens(browser, client) }
}

/** Links an account of the provider in the browser. */
export async function linkProvider({ browser }: SignedInPerson, provider: string, there = newProviderAccount()) {
  const { body } = await startLinkInBrowser(browser, { provider })
  return browser.get(await signInAtProvider(String(body.url), there))
}
