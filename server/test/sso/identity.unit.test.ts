import { describe, expect, test } from 'vitest'
import type { SsoProvider } from '../../src/config/sso.ts'
import { isEmailVerified, microsoftProblem, toIdentity } from '../../src/sso/identity.ts'

const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const ACME = '11111111-2222-3333-4444-555555555555'
const GLOBEX = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const issuerOf = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const only = { tenantId: ACME }

describe('whom a Microsoft issuer lets in', () => {
  test.each([
    ['common', ACME, true],
    ['common', PERSONAL, true],
    ['organizations', ACME, true],
    ['organizations', PERSONAL, false],
    ['consumers', PERSONAL, true],
    ['consumers', ACME, false],
    [only, ACME, true],
    [only, GLOBEX, false],
    [only, PERSONAL, false],
  ] as const)('%j, tenant %s: %s', (audience, tid, welcome) => {
    expect(microsoftProblem(audience, { iss: issuerOf(tid), tid }) === undefined).toBe(welcome)
  })

  test.each([
    ['the issuer of another tenant', { iss: issuerOf(GLOBEX), tid: ACME }],
    ['the template itself', { iss: issuerOf('{tenantid}'), tid: '{tenantid}' }],
    ['a tenant in words', { iss: issuerOf('common'), tid: 'common' }],
    ['no tenant', { iss: issuerOf(ACME) }],
    ['a tenant that is no text', { iss: issuerOf(ACME), tid: [ACME] }],
    ['a tenant with a path in it', { iss: issuerOf(`${ACME}/x`), tid: `${ACME}/x` }],
    ['version 1', { iss: `https://sts.windows.net/${ACME}/`, tid: ACME }],
    ['another host', { iss: `https://login.evil.example/${ACME}/v2.0`, tid: ACME }],
  ])('%s is refused everywhere', (_name, claims) => {
    for (const audience of ['common', 'organizations', 'consumers', only] as const) {
      expect(microsoftProblem(audience, claims)).toBeTypeOf('string')
    }
  })
})

const provider = (issuer: string, trustEmail = false): SsoProvider => ({
  ...{ name: 'X', label: 'X', issuer, clientId: 'x', clientSecret: 'x', scopes: 'openid', trustEmail },
  trustReauthentication: false,
})

describe('whether an address is verified', () => {
  const google = provider('https://accounts.google.com')
  const common = provider(issuerOf('common'))
  const tenant = provider(issuerOf(ACME))
  test.each([
    ['marked', google, { email_verified: true }, true],
    ['marked in text', google, { email_verified: 'true' }, true],
    ['marked as not', google, { email_verified: false }, false],
    ['marked as not in text', google, { email_verified: 'false' }, false],
    ['unmarked', google, {}, false],
    ['marked with a number', google, { email_verified: 1 }, false],
    ['marked with the claim of Microsoft', google, { xms_edov: true }, false],
    ['vouched for', provider('https://id.example', true), {}, true],
    ['Microsoft, marked in a claim that anybody there may set', common, { email_verified: true }, false],
    ['Microsoft, unmarked', common, {}, false],
    ['Microsoft, domain proven', common, { xms_edov: true }, true],
    ['Microsoft, domain proven, as a number', common, { xms_edov: 1 }, true],
    ['Microsoft, domain proven, as text', common, { xms_edov: '1' }, true],
    ['Microsoft, domain not proven', common, { xms_edov: false }, false],
    ['Microsoft, domain not proven, as text', common, { xms_edov: '0' }, false],
    ['one tenant, unmarked', tenant, {}, false],
    ['one tenant, vouched for', provider(issuerOf(ACME), true), {}, true],
    ['all tenants, vouched for in vain', provider(issuerOf('common'), true), {}, false],
    ['private people, vouched for in vain', provider(issuerOf('consumers'), true), {}, false],
  ])('%s', (_name, from, claims, verified) => {
    expect(isEmailVerified(from, claims)).toBe(verified)
  })
})

describe('what is kept of a person', () => {
  const from = provider('https://id.example')
  const read = (claims: Record<string, unknown>) =>
    toIdentity(from, { iss: 'https://id.example', sub: 's', ...claims })

  test('names are bounded, and on one line', () => {
    expect(
      read({ name: ` ${'😀'.repeat(300)}`, given_name: 'A\r\nB', family_name: 'x'.repeat(500) }),
    ).toMatchObject({
      displayName: '😀'.repeat(200),
      givenName: 'A B',
      familyName: 'x'.repeat(100),
    })
    expect(read({ name: '  ', given_name: 7, family_name: 'a\0b' })).toMatchObject({
      ...{ displayName: null, givenName: null, familyName: null },
    })
  })

  test('T110: what holds a web address or a control character is no name', () => {
    expect(
      read({ name: 'Go to https://evil.test', given_name: 'www.evil.test', family_name: 'evil.test/x' }),
    ).toMatchObject({ displayName: null, givenName: null, familyName: null })
    expect(read({ name: 'Sam\u0007', given_name: '\u202eSam', family_name: 'Some.one' })).toMatchObject({
      ...{ displayName: null, givenName: null, familyName: 'Some.one' },
    })
  })

  test('pictures are on the web', () => {
    expect(read({ picture: 'https://x.example/p.png' }).pictureUrl).toBe('https://x.example/p.png')
    for (const picture of [
      'javascript:alert(1)',
      'data:image/png;base64,x',
      '//x',
      `https://x/${'a'.repeat(2_000)}`,
      7,
    ]) {
      expect(read({ picture }).pictureUrl).toBeNull()
    }
  })

  test('an address that is none is never verified', () => {
    for (const email of ['no address', 'a@b@c.example', ['a@b.example'], '"a b"@c.example', undefined]) {
      expect(read({ email, email_verified: true })).toMatchObject({ email: undefined, emailVerified: false })
    }
    expect(read({ email: 'A@B.Example', email_verified: true })).toMatchObject({
      ...{ email: 'a@b.example', emailVerified: true },
    })
  })

  test('a subject that cannot be kept is refused', () => {
    for (const sub of ['', 'a\0', 'x'.repeat(256)]) expect(() => read({ sub })).toThrow('cannot be used here')
  })
})
