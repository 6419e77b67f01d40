import { inject } from 'vitest'
import { type Browser, openBrowser } from './browser.ts'
import type { PersonThere } from './open-id-provider.ts'
import { isOurs } from './pages.ts'
import { unique } from './service.ts'

export const issuers = inject('issuers')

/** Somebody with an account at a provider, and a verified address there, whom no test has met before. */
export function newPersonThere(fields: Partial<PersonThere> = {}) {
  const sub = unique('sub')
  return {
    sub,
    email: `${sub}@elsewhere.test`,
    email_verified: true,
    name: 'Nora New',
    given_name: 'Nora',
    family_name: 'New',
    picture: 'https://elsewhere.test/nora.png',
    ...fields,
  }
}

/**
 * Goes to an address at a provider with a browser that nobody has signed in with there, signs in as the person, or
 * changes their mind, and returns the address here that the provider sends them back to.
 */
export async function comeBackFrom(address: string, person: PersonThere | undefined): Promise<string> {
  const browser = openBrowser()
  let url = new URL(address)
  for (let step = 0; step < 10; step++) {
    if (isOurs(url)) return url.href
    if (person && url.pathname.startsWith('/interaction/')) {
      url.searchParams.set('person', JSON.stringify(person))
    }
    const response = await browser.get(url.href)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`)
    url = new URL(location, url)
  }
  throw new Error(`redirected in circles, last at ${url}`)
}

type Name = keyof typeof issuers

/** Where the browser is sent by a provider at which the person has signed in. It has not gone there yet. */
export async function setOut(
  browser: Browser,
  { provider = 'google', person }: { provider?: Name; person: PersonThere | undefined },
): Promise<string> {
  const response = await browser.get(`/sso/${provider}`)
  return comeBackFrom(response.headers.get('location') ?? '', person)
}

/** Signs in through a provider. The answer is the first that comes after. */
export const signInThrough = async (provider: Name, browser: Browser, person: PersonThere | undefined) =>
  browser.get(await setOut(browser, { provider, person }))
