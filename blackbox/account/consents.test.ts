import { describe, expect, test } from 'vitest'
import { callAs, newAccount } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import { authorize, exchangeCode, getUserinfo, readRedirect, refreshTokens, type Tokens } from '../support/oauth.ts'
import { completePages } from '../support/pages.ts'
import { newPerson, type Person } from '../support/person.ts'

const CONSENTS = '/api/users/me/consents'
const NOBODYS = '018f0000-0000-7000-8000-000000000000'
const partner = await newApplication({ trusted: false })
const forbiddenCallers = await newForbiddenCallers(await newPerson())
const partnerClient = await newClient(partner, 'SPA')

interface Consent {
  applicationId: string
  applicationName: string
  logoUrl: string | null
  tenantId: string | null
  tenantName: string | null
  scopes: string[]
  grantedAt: string
  lastUsedAt: string | null
}

const listConsents = async (tokens: Tokens) => {
  const { status, body } = await callAs(tokens, 'GET', CONSENTS)
  expect(status).toBe(200)
  return (body as unknown as { consents: Consent[] }).consents
}

/** A person with a consent for a third-party application, and the tokens of that application. */
async function newPersonWithConsent() {
  const { person, tokens } = await newAccount()
  return { tokens, person, partners: await giveConsent(person) }
}

/** Confirms the consent page, which is shown without a previous consent. */
async function giveConsent(person: Person): Promise<Tokens> {
  const browser = await person.signIn()
  const page = await authorize(browser, partnerClient, { scope: 'openid email offline_access' })
  expect(page.status).toBe(200)
  const { code = '' } = readRedirect(await completePages(browser, page, person))
  return (await exchangeCode(partnerClient, code)).body
}

describe('consents (T175)', () => {
  test('the list shows applications and scopes; a trusted application needs no consent', async () => {
    const { tokens } = await newPersonWithConsent()
    const consents = await listConsents(tokens)
    expect(consents).toEqual([
      {
        applicationId: partner,
        applicationName: 'A black-box application',
        logoUrl: null,
        tenantId: null,
        tenantName: null,
        scopes: expect.arrayContaining(['openid', 'email']),
        grantedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        lastUsedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ])
    const other = await newAccount()
    expect(await listConsents(other.tokens)).toEqual([])
  })

  test('withdrawing a consent revokes every token of the application, and it must ask for consent again', async () => {
    const { tokens, person, partners } = await newPersonWithConsent()
    expect((await getUserinfo(partners.access_token)).status).toBe(200)
    const { status, body } = await callAs(tokens, 'DELETE', `${CONSENTS}/${partner}`)
    expect([status, body]).toEqual([200, { success: true, message: 'Consent withdrawn' }])
    expect((await getUserinfo(partners.access_token)).status).toBe(401)
    expect((await refreshTokens(partnerClient, partners.refresh_token)).body.error).toBe('invalid_grant')
    expect(await listConsents(tokens)).toEqual([])
    expect((await callAs(tokens, 'DELETE', `${CONSENTS}/${partner}`)).body).toEqual(errorBody(404, 'CONSENT_NOT_FOUND'))
    // Tokens of trusted applications stay valid, and the next authorization asks for consent again.
    expect((await getUserinfo(tokens.access_token)).status).toBe(200)
    await giveConsent(person)
    expect(await listConsents(tokens)).toHaveLength(1)
  })

  test('all consents can be withdrawn in one call; consents of other people stay', async () => {
    const [ann, ben] = [await newPersonWithConsent(), await newPersonWithConsent()]
    const { body } = await callAs(ann.tokens, 'DELETE', CONSENTS)
    expect(body).toEqual({ success: true, message: 'All consents withdrawn', count: 1 })
    expect((await getUserinfo(ann.partners.access_token)).status).toBe(401)
    expect((await getUserinfo(ben.partners.access_token)).status).toBe(200)
    expect((await callAs(ann.tokens, 'DELETE', CONSENTS)).body).toMatchObject({ count: 0 })
  })

  test.each([NOBODYS, 'rubbish', '%00'])('%s is not an application with a consent', async (id) => {
    const { tokens } = await newAccount()
    expect((await callAs(tokens, 'DELETE', `${CONSENTS}/${id}`)).status).toBe(404)
  })

  test.each([
    ['GET', CONSENTS],
    ['DELETE', CONSENTS],
    ['DELETE', `${CONSENTS}/${NOBODYS}`],
  ])('%s %s refuses callers without authentication, machines and third-party applications', async (method, path) => {
    await expectForbidden(forbiddenCallers, { method, path })
  })
})
