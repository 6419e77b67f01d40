import { describe, expect, test } from 'vitest'
import type { SsoProvider } from '../../src/config/sso.ts'
import { isEmailVerified, microsoftProblem, toIdentity } from '../../src/sso/identity.ts'

const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad'
const ACME = '11111111-2222-3333-4444-555555555555'
const GLOBEX = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const issuerOf = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const only = { tenantId: ACME }

describe('which tenants a Microsoft issuer accepts', () => {
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
  ] as const)('%j, tenant %s: %s', (audience, tid, isAccepted) => {
    expect(microsoftProblem(audience, { iss: issuerOf(tid), tid }) === undefined).toBe(isAccepted)
  })

  test.each([
    ['the issuer of another tenant', { iss: issuerOf(GLOBEX), tid: ACME }],
    ['the template itself', { iss: issuerOf('{tenantid}'), tid: '{tenantid}' }],
    ['a tenant that is not an id', { iss: issuerOf('common'), tid: 'common' }],
    ['no tenant', { iss: issuerOf(ACME) }],
    ['a tenant that is not a string', { iss: issuerOf(ACME), tid: [ACME] }],
    ['a tenant with a path in it', { iss: issuerOf(`${ACME}/x`), tid: `${ACME}/x` }],
    ['version 1', { iss: `https://sts.windows.net/${ACME}/`, tid: ACME }],
    ['another host', { iss: `https://login.evil.example/${ACME}/v2.0`, tid: ACME }],
  ])('%s is refused for every audience', (_name, claims) => {
    for (const audience of ['common', 'organizations', 'consumers', only] as const) {
      expect(microsoftProblem(audience, claims)).toBeTypeOf('string')
    }
  })
})

const provider = (issuer: string, trustEmail = false): SsoProvider => ({
  name: 'X',
  label: 'X',
  issuer,
  clientId: 'x',
  clientSecret: 'x',
  scopes: 'openid',
  trustEmail,
  trustReauthentication: false,
})

describe('whether an address is verified', () => {
  const google = provider('https://accounts.google.com')
  const common = provider(issuerOf('common'))
  const tenant = provider(issuerOf(ACME))
  test.each([
    ['verified', google, { email_verified: true }, true],
    ['verified, as text', google, { email_verified: 'true' }, true],
    ['not verified', google, { email_verified: false }, false],
    ['not verified, as text', google, { email_verified: 'false' }, false],
    ['no claim', google, {}, false],
    ['verified, as a number', google, { email_verified: 1 }, false],
    ['verified in the claim of Microsoft', google, { xms_edov: true }, false],
    ['trusted by the operator', provider('https://id.example', true), {}, true],
    ['Microsoft, email_verified', common, { email_verified: true }, false],
    ['Microsoft, no claim', common, {}, false],
    ['Microsoft, domain proven', common, { xms_edov: true }, true],
    ['Microsoft, domain proven, as a number', common, { xms_edov: 1 }, true],
    ['Microsoft, domain proven, as text', common, { xms_edov: '1' }, true],
    ['Microsoft, domain not proven', common, { xms_edov: false }, false],
    ['Microsoft, domain not proven, as text', common, { xms_edov: '0' }, false],
    ['one tenant, no claim', tenant, {}, false],
    ['one tenant, trusted by the operator', provider(issuerOf(ACME), true), {}, true],
    ['all tenants, trust is ignored', provider(issuerOf('common'), true), {}, false],
    ['personal accounts, trust is ignored', provider(issuerOf('consumers'), true), {}, false],
  ])('%s', (_name, from, claims, verified) => {
    expect(isEmailVerified(from, claims)).toBe(verified)
  })
})

describe('what is stored of an identity', () => {
  const from = provider('https://id.example')
  const read = (claims: Record<string, unknown>) => toIdentity(from, { iss: 'https://id.example', sub: 's', ...claims })

  test('names are shortened and on one line', () => {
    expect(read({ name: ` ${'😀'.repeat(300)}`, given_name: 'A\r\nB', family_name: 'x'.repeat(500) })).toMatchObject({
      displayName: '😀'.repeat(200),
      givenName: 'A B',
      familyName: 'x'.repeat(100),
    })
    expect(read({ name: '  ', given_name: 7, family_name: 'a\0b' })).toMatchObject({
      displayName: null,
      givenName: null,
      familyName: null,
    })
  })

  test('T110: a name with a URL or a control character is dropped', () => {
    expect(
      read({ name: 'Go to https://evil.test', given_name: 'www.evil.test', family_name: 'evil.test/x' }),
    ).toMatchObject({ displayName: null, givenName: null, familyName: null })
    expect(read({ name: 'Sam\u0007', given_name: '\u202eSam', family_name: 'Some.one' })).toMatchObject({
      displayName: null,
      givenName: null,
      familyName: 'Some.one',
    })
  })

  test('a picture must be an http(s) URL', () => {
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

  test('an invalid address is never verified', () => {
    for (const email of ['no address', 'a@b@c.example', ['a@b.example'], '"a b"@c.example', undefined]) {
      expect(read({ email, email_verified: true })).toMatchObject({ email: undefined, emailVerified: false })
    }
    expect(read({ email: 'A@B.Example', email_verified: true })).toMatchObject({
      email: 'a@b.example',
      emailVerified: true,
    })
  })

  test('an invalid subject is refused', () => {
    for (const sub of ['', 'a\0', 'x'.repeat(256)]) expect(() => read({ sub })).toThrow('cannot be used here')
  })
})
