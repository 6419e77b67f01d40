import { describe, expect, test } from 'vitest'
import { callAs, newHolder } from '../support/account.ts'
import { newApplication, newClient } from '../support/admin.ts'
import { expectClosed, intruders, refusal } from '../support/calls.ts'
import { authorize, exchange, landing, refresh, type Tokens, userinfo } from '../support/oauth.ts'
import { goThrough } from '../support/pages.ts'
import { newPerson, type Person } from '../support/person.ts'

const CONSENTS = '/api/users/me/consents'
const NOBODYS = '018f0000-0000-7000-8000-000000000000'
const partner = await newApplication({ trusted: false })
const strangers = await intruders(await newPerson())
const partnerClient = await newClient(partner, 'SPA')

interface Consent {
  applicationId: string
  applicationName: string
  tenantId: string | null
  tenantName: string | null
  scopes: string[]
  grantedAt: string
}

const list = async (tokens: Tokens) => {
  const { status, body } = await callAs(tokens, 'GET', CONSENTS)
  expect(status).toBe(200)
  return (body as unknown as { consents: Consent[] }).consents
}

/** Somebody who has allowed the application of a partner something, and its tokens. */
async function newConsenter() {
  const { person, tokens } = await newHolder()
  return { tokens, person, partners: await allow(person) }
}

/** Goes through the consent page, which is shown to who has not allowed this before. */
async function allow(person: Person): Promise<Tokens> {
  const browser = await person.signIn()
  const page = await authorize(browser, partnerClient, { scope: 'openid email offline_access' })
  expect(page.status).toBe(200)
  const { code = '' } = landing(await goThrough(browser, page, person))
  return (await exchange(partnerClient, code)).body
}

describe('consents (T175)', () => {
  test('a person sees whom they have allowed what; an application of ours needs no consent', async () => {
    const { tokens } = await newConsenter()
    const consents = await list(tokens)
    expect(consents).toEqual([
      {
        applicationId: partner,
        applicationName: 'A black-box application',
        ...{ tenantId: null, tenantName: null },
        scopes: expect.arrayContaining(['openid', 'email']),
        grantedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    ])
    const other = await newHolder()
    expect(await list(other.tokens)).toEqual([])
  })

  test('withdrawn, every token of the application ends, and it must ask again', async () => {
    const { tokens, person, partners } = await newConsenter()
    expect((await userinfo(partners.access_token)).status).toBe(200)
    const { status, body } = await callAs(tokens, 'DELETE', `${CONSENTS}/${partner}`)
    expect([status, body]).toEqual([200, { success: true, message: 'Consent withdrawn' }])
    expect((await userinfo(partners.access_token)).status).toBe(401)
    expect((await refresh(partnerClient, partners.refresh_token)).body.error).toBe('invalid_grant')
    expect(await list(tokens)).toEqual([])
    expect((await callAs(tokens, 'DELETE', `${CONSENTS}/${partner}`)).body).toEqual(
      refusal(404, 'CONSENT_NOT_FOUND'),
    )
    // Our own tokens are not concerned, and the next sign-in there asks again.
    expect((await userinfo(tokens.access_token)).status).toBe(200)
    await allow(person)
    expect(await list(tokens)).toHaveLength(1)
  })

  test('all can be withdrawn at once; those of other people stay', async () => {
    const [ann, ben] = [await newConsenter(), await newConsenter()]
    const { body } = await callAs(ann.tokens, 'DELETE', CONSENTS)
    expect(body).toEqual({ success: true, message: 'All consents withdrawn', count: 1 })
    expect((await userinfo(ann.partners.access_token)).status).toBe(401)
    expect((await userinfo(ben.partners.access_token)).status).toBe(200)
    expect((await callAs(ann.tokens, 'DELETE', CONSENTS)).body).toMatchObject({ count: 0 })
  })

  test.each([NOBODYS, 'rubbish', '%00'])('%s is no application that was allowed anything', async (id) => {
    const { tokens } = await newHolder()
    expect((await callAs(tokens, 'DELETE', `${CONSENTS}/${id}`)).status).toBe(404)
  })

  test.each([
    ['GET', CONSENTS],
    ['DELETE', CONSENTS],
    ['DELETE', `${CONSENTS}/${NOBODYS}`],
  ])('%s %s lets in no stranger, no machine and no third party', async (method, path) => {
    await expectClosed(strangers, { method, path })
  })
})
