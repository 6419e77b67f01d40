import { inject } from 'vitest'
import { type Browser, openBrowser } from './browser.ts'
import type { ProviderAccount } from './open-id-provider.ts'
import { isOwnUrl } from './pages.ts'
import { unique } from './service.ts'

export const issuers = inject('issuers')

/** A new account at a provider, with a verified address. */
export function newProviderAccount(fields: Partial<ProviderAccount> = {}) {
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
 * Opens a URL of a provider in a new browser, signs in with the account or cancels, and returns the callback URL of the
 * service.
 */
export async function signInAtProvider(address: string, person: ProviderAccount | undefined): Promise<string> {
  const browser = openBrowser()
  let url = new URL(address)
  for (let step = 0; step < 10; step++) {
    if (isOwnUrl(url)) return url.href
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

type ProviderName = keyof typeof issuers

/** Starts the sign-in and returns the callback URL, which is not opened yet. */
export async function startProviderSignIn(
  browser: Browser,
  { provider = 'google', person }: { provider?: ProviderName; person: ProviderAccount | undefined },
): Promise<string> {
  const response = await browser.get(`/sso/${provider}`)
  return signInAtProvider(response.headers.get('location') ?? '', person)
}

/** Signs in with a provider. Returns the response of the callback. */
export const signInWithProvider = async (
  provider: ProviderName,
  browser: Browser,
  person: ProviderAccount | undefined,
) => browser.get(await startProviderSignIn(browser, { provider, person }))
