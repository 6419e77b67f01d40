import { describe, expect, test } from 'vitest'
import { callAs, newConfirmedHolder, newHolder } from '../support/account.ts'
import { openBrowser } from '../support/browser.ts'
import { call, expectClosed, fromOwnPage, intruders, refusal, withCookies } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import type { Tokens } from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { issuers, newPersonThere, signInThrough } from '../support/sso.ts'
import { link, links, linkThrough, newVisitor, SSO } from '../support/sso-links.ts'

const strangers = await intruders(await newPerson())

const unlink = (tokens: Tokens, provider: string) => callAs(tokens, 'DELETE', `${SSO}/${provider}`)
const subjects = async (email: string) => (await mailTo(email)).map(({ subject }) => subject)

test('who has linked nothing has an empty list', async () => {
  const { tokens } = await newHolder()
  const { status, body } = await callAs(tokens, 'GET', SSO)
  expect(status).toBe(200)
  expect(body).toEqual({ links: [] })
})

test('T111: what nobody has set up cannot be linked, and what is not linked cannot be unlinked', async () => {
  const { tokens } = await newConfirmedHolder()
  for (const provider of ['MICROSOFT', 'nope', '', "'", '../google']) {
    const { status, body } = await link(tokens, { provider })
    expect(status, provider).toBe(400)
    expect(body, provider).toEqual(refusal(400, 'SSO_PROVIDER_NOT_CONFIGURED'))
  }
  for (const body of [{}, { provider: 7 }, { provider: null }, { provider: ['GOOGLE'] }]) {
    expect((await link(tokens, body)).body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'provider', message: expect.any(String) }] }),
    )
  }
  for (const provider of ['GOOGLE', 'MICROSOFT', 'nope', '%27', 'a'.repeat(80)]) {
    const { status, body } = await unlink(tokens, provider)
    expect(status, provider).toBe(404)
    expect(body, provider).toEqual(refusal(404, 'SSO_LINK_NOT_FOUND'))
  }
})

test.each<[string, string, object | undefined]>([
  ['GET', SSO, undefined],
  ['POST', `${SSO}/link`, { provider: 'GOOGLE' }],
  ['DELETE', `${SSO}/GOOGLE`, undefined],
])('%s %s lets in no stranger, no machine and no third party', async (method, path, body) => {
  await expectClosed(strangers, { method, path, body })
})

describe.skipIf(!issuers.google)('unlinking', () => {
  test('T111: closes the way in, in any letter case, and tells the person', async () => {
    const visitor = await newVisitor()
    const { person, tokens } = visitor
    const there = newPersonThere()
    await linkThrough(visitor, 'GOOGLE', there)
    await linkThrough(visitor, 'ACME')
    const { status, body } = await unlink(tokens, 'google')
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Google account unlinked' })
    expect(await links(tokens)).toMatchObject({ links: [{ provider: 'ACME' }] })
    expect((await unlink(tokens, 'GOOGLE')).body).toEqual(refusal(404, 'SSO_LINK_NOT_FOUND'))
    expect((await unlink(tokens, 'ACME')).body).toEqual({ success: true, message: 'Acme account unlinked' })
    expect(await subjects(person.email)).toContain('A sign-in provider was unlinked')
    const elsewhere = openBrowser()
    await signInThrough('google', elsewhere, there)
    expect(await (await elsewhere.get('/api/users/me')).json()).not.toMatchObject({ email: person.email })
  })

  test('T111: who has no password keeps their link', async () => {
    const browser = openBrowser()
    await signInThrough('google', browser, newPersonThere())
    const { status, body } = await call('DELETE', `${SSO}/GOOGLE`, { headers: fromOwnPage(browser) })
    expect(status).toBe(400)
    expect(body).toEqual(refusal(400, 'PASSWORD_REQUIRED'))
    expect((await call('GET', SSO, { headers: withCookies(browser) })).body.links).toHaveLength(1)
  })
})
