import { describe, expect, test } from 'vitest'
import { callAs, newAccount, newConfirmedAccount } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody, expectForbidden, fromOwnPage, newForbiddenCallers, withCookies } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import type { Tokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { issuers, newProviderAccount, signInWithProvider } from '../support/sso.ts'
import { linkProvider, listLinks, newSignedInPerson, SSO_PATH, startLink } from '../support/sso-links.ts'

const forbiddenCallers = await newForbiddenCallers(await newPerson())

const unlink = (tokens: Tokens, provider: string) => callAs(tokens, 'DELETE', `${SSO_PATH}/${provider}`)
const listSubjects = async (email: string) => (await listMails(email)).map(({ subject }) => subject)

test('the list is empty without links', async () => {
  const { tokens } = await newAccount()
  const { status, body } = await callAs(tokens, 'GET', SSO_PATH)
  expect(status).toBe(200)
  expect(body).toEqual({ links: [] })
})

test('T111: an unknown provider cannot be linked, and a missing link cannot be removed', async () => {
  const { tokens } = await newConfirmedAccount()
  for (const provider of ['MICROSOFT', 'nope', '', "'", '../google']) {
    const { status, body } = await startLink(tokens, { provider })
    expect(status, provider).toBe(400)
    expect(body, provider).toEqual(errorBody(400, 'SSO_PROVIDER_NOT_CONFIGURED'))
  }
  for (const body of [{}, { provider: 7 }, { provider: null }, { provider: ['GOOGLE'] }]) {
    expect((await startLink(tokens, body)).body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'provider', message: expect.any(String) }] }),
    )
  }
  for (const provider of ['GOOGLE', 'MICROSOFT', 'nope', '%27', 'a'.repeat(80)]) {
    const { status, body } = await unlink(tokens, provider)
    expect(status, provider).toBe(404)
    expect(body, provider).toEqual(errorBody(404, 'SSO_LINK_NOT_FOUND'))
  }
})

test.each<[string, string, object | undefined]>([
  ['GET', SSO_PATH, undefined],
  ['POST', `${SSO_PATH}/link`, { provider: 'GOOGLE' }],
  ['DELETE', `${SSO_PATH}/GOOGLE`, undefined],
])(
  '%s %s refuses callers without authentication, machines and third-party applications',
  async (method, path, body) => {
    await expectForbidden(forbiddenCallers, { method, path, body })
  },
)

describe.skipIf(!issuers.google)('unlinking', () => {
  test('T111: ends sign-in with the provider, ignores letter case, and notifies the person', async () => {
    const visitor = await newSignedInPerson()
    const { person, tokens } = visitor
    const providerAccount = newProviderAccount()
    await linkProvider(visitor, 'GOOGLE', providerAccount)
    await linkProvider(visitor, 'ACME')
    const { status, body } = await unlink(tokens, 'google')
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Google account unlinked' })
    expect(await listLinks(tokens)).toMatchObject({ links: [{ provider: 'ACME' }] })
    expect((await unlink(tokens, 'GOOGLE')).body).toEqual(errorBody(404, 'SSO_LINK_NOT_FOUND'))
    expect((await unlink(tokens, 'ACME')).body).toEqual({ success: true, message: 'Acme account unlinked' })
    expect(await listSubjects(person.email)).toContain('A sign-in provider was unlinked')
    const otherBrowser = openBrowser()
    await signInWithProvider('google', otherBrowser, providerAccount)
    expect(await (await otherBrowser.get('/api/users/me')).json()).not.toMatchObject({ email: person.email })
  })

  test('T111: a person without a password cannot remove the link', async () => {
    const browser = openBrowser()
    await signInWithProvider('google', browser, newProviderAccount())
    const { status, body } = await call('DELETE', `${SSO_PATH}/GOOGLE`, { headers: fromOwnPage(browser) })
    expect(status).toBe(400)
    expect(body).toEqual(errorBody(400, 'PASSWORD_REQUIRED'))
    expect((await call('GET', SSO_PATH, { headers: withCookies(browser) })).body.links).toHaveLength(1)
  })
})
