import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import { openBrowser } from '../support/browser.ts'
import { startCanary } from '../support/canary.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { authorizationRequest, authorize, exchangeCode, getTokens, readRedirect } from '../support/oauth.ts'
import { completePages, findLoginForm, followRedirects, isLoginPage, readForms, submitForm } from '../support/pages.ts'
import { demoPerson, newPerson } from '../support/person.ts'
import { baseUrl, encodeFields, type Fields, unique } from '../support/service.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const someone = await newPerson()

test('T022: prompt=none without a session is login_required with state, and shows no page', async () => {
  const state = unique('state')
  const request = encodeFields(authorizationRequest(spa, { prompt: 'none', state }))
  // The first response is the redirect to the client, without any page of the service.
  const response = await openBrowser().get(`/oauth/authorize?${request}`)
  expect(readRedirect(response)).toMatchObject({ error: 'login_required', state, iss: baseUrl })
})

test('T022: prompt=none together with another prompt is invalid_request', async () => {
  const response = readRedirect(await authorize(await someone.signIn(), spa, { prompt: 'none login' }))
  expect(response).toMatchObject({ error: 'invalid_request' })
})

test('T022: an unknown session cookie is not a session', async () => {
  const browser = await someone.signIn()
  for (const [name, value] of browser.cookies) browser.cookies.set(name, `${value.slice(0, -4)}AAAA`)
  expect(readRedirect(await authorize(browser, spa, { prompt: 'none' })).error).toBe('login_required')
})

test('T023: prompt=select_account shows a page, never a silent code', async () => {
  const response = await authorize(await someone.signIn(), spa, { prompt: 'select_account' })
  expect(response.status).toBe(200)
  expect(response.headers.has('location')).toBe(false)
})

test.each(['-1', 'soon', '1.5'])(
  'T023: max_age %s is never taken as permission for an old sign-in',
  async (max_age) => {
    const response = await authorize(await someone.signIn(), spa, { max_age })
    if (response.headers.has('location')) expect(readRedirect(response)).toMatchObject({ error: 'invalid_request' })
    else expect(await isLoginPage(response)).toBe(true)
  },
)

test('T023: max_age=0 requires a new sign-in', async () => {
  expect(await isLoginPage(await authorize(await someone.signIn(), spa, { max_age: '0' }))).toBe(true)
})

test('T023: max_age under prompt=none is login_required when the sign-in is too old', async () => {
  const browser = await someone.signIn()
  const response = readRedirect(await authorize(browser, spa, { prompt: 'none', max_age: '0' }))
  expect(response).toMatchObject({ error: 'login_required' })
})

test.each<Fields>([
  { extra: 'foobar' },
  { display: 'touch' },
  { display: 'hologram' },
  { ui_locales: 'tlh' },
  { claims_locales: 'de fr' },
  { acr_values: 'urn:nobody:knows' },
  { claims: '{"id_token":{"auth_time":{"essential":true}}}' },
  { claims: 'not json' },
  { login_hint: 'somebody@else.test' },
  { scope: 'openid unheard-of' },
])('T026: %j is ignored', async (extra) => {
  expect(readRedirect(await authorize(await someone.signIn(), spa, extra))).toHaveProperty('code')
})

test('T026: an unknown scope is not granted', async () => {
  const tokens = await getTokens(await someone.signIn(), spa, { scope: 'openid unheard-of email admin' })
  expect(tokens.scope.split(' ').sort()).toEqual(['email', 'openid'])
})

test('T027: request and request_uri are refused with their own errors, and nothing is fetched', async () => {
  const canary = await startCanary()
  const state = unique('state')
  const browser = await someone.signIn()
  const sendRequest = async (extra: Fields) => readRedirect(await authorize(browser, spa, { state, ...extra }))
  expect(await sendRequest({ request_uri: canary.url })).toMatchObject({
    error: 'request_uri_not_supported',
    state,
  })
  const request = 'eyJhbGciOiJub25lIn0.e30.'
  expect(await sendRequest({ request })).toMatchObject({ error: 'request_not_supported', state })
  expect(canary.requests()).toBe(0)
  canary.close()
})

describe('signing in during authorization', () => {
  const signInPage = async (extra: Fields = {}) => {
    const browser = openBrowser()
    const page = await authorize(browser, spa, extra)
    const form = findLoginForm(await readForms(page))
    if (!form) throw new Error(`no sign-in form at ${page.url}`)
    return { browser, form }
  }

  test('T028: the redirect after a password is 302 or 303, and the flow ends at the client', async () => {
    const state = unique('state')
    const { browser, form } = await signInPage({ state })
    const after = await submitForm(browser, form, { email: someone.email, password: someone.password })
    expect([302, 303]).toContain(after.status)
    expect(readRedirect(await completePages(browser, after, someone))).toMatchObject({
      state,
      code: expect.any(String),
    })
  })

  test('T023: a new sign-in in another browser does not renew an old session', async () => {
    const old = await someone.signIn()
    // auth_time has whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1100))
    const { browser, form } = await signInPage({ prompt: 'login' })
    const after = await submitForm(browser, form, { email: someone.email, password: someone.password })
    expect(await isLoginPage(await followRedirects(old, await old.get(after.headers.get('location') ?? '')))).toBe(true)
  })

  test('T021: a modified URL of the sign-in page does not redirect', async () => {
    const browser = await someone.signIn()
    const page = new URL((await authorize(browser, spa, { prompt: 'login' })).url)
    for (const [name, value] of page.searchParams) {
      for (const forged of ['', 'x', 'https://evil.test/', `${value.slice(0, -2)}AA`, value.slice(8), `${value}.`]) {
        const address = new URL(page)
        address.searchParams.set(name, forged)
        const response = await followRedirects(browser, await browser.get(address.href))
        expect(response.status).toBeLessThan(500)
        expect(response.headers.get('location') ?? '').not.toMatch(/evil\.test|code=/)
      }
    }
  })

  test('T028: a wrong password shows the form again without a redirect', async () => {
    const { browser, form } = await signInPage()
    const after = await submitForm(browser, form, { email: someone.email, password: 'not the password' })
    expect(await isLoginPage(await followRedirects(browser, after))).toBe(true)
    expect(readRedirect(await authorize(browser, spa, { prompt: 'none' })).error).toBe('login_required')
  })

  test('T028: a sign-in form from another site creates no session', async () => {
    const { browser, form } = await signInPage()
    const fields = { ...form.fields, email: someone.email, password: someone.password }
    await browser.post(form.action, fields, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' })
    expect(readRedirect(await authorize(browser, spa, { prompt: 'none' })).error).toBe('login_required')
  })
})

describe('the tenant of a token', () => {
  const authorizeAs = async (email: string, tenant?: string) =>
    readRedirect(await authorize(await demoPerson(email).signIn(), spa, { tenant }))

  const claimsOf = async (code = '') => {
    const claims = await verifyAccessToken((await exchangeCode(spa, code)).body.access_token)
    return { slug: claims.tenant_slug, roles: claims.tenant_roles, id: claims.tenant_id }
  }

  test.each([
    ['gus@globex.test', 'acme'],
    ['mia@acme.test', 'globex'],
    ['mia@acme.test', 'no-such-tenant'],
    ['mia@acme.test', 'ACME'],
    ['mia@acme.test', "acme' or '1'='1"],
  ])('T029: %s requesting %s is access_denied', async (email, tenant) => {
    const response = await authorizeAs(email, tenant)
    expect(response).toMatchObject({ error: 'access_denied', iss: baseUrl })
    expect(response).not.toHaveProperty('code')
  })

  test.each([
    ['olivia@acme.test', 'acme', 'owner'],
    ['adam@acme.test', 'acme', 'admin'],
    ['mia@acme.test', 'acme', 'member'],
    ['gus@globex.test', 'globex', 'owner'],
  ])('T030: %s requesting %s gets a token for it with the role %s, and iss', async (email, tenant, role) => {
    const { code, iss } = await authorizeAs(email, tenant)
    expect(iss).toBe(baseUrl)
    expect(await claimsOf(code)).toEqual({ slug: tenant, roles: [role], id: expect.any(String) })
  })

  test('T030: without a requested tenant the only membership is used', async () => {
    const { code } = await authorizeAs('mia@acme.test')
    expect(await claimsOf(code)).toMatchObject({ slug: 'acme', roles: ['member'] })
  })

  test('T030: a person without a tenant gets a token without one', async () => {
    const { access_token } = await getTokens(await someone.signIn(), spa)
    const claims = Object.keys(decodeJwt(access_token))
    expect(claims.filter((claim) => claim.startsWith('tenant'))).toEqual([])
  })
})
