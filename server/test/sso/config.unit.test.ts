import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'

const google = { SSO_PROVIDERS: 'GOOGLE', SSO_GOOGLE_CLIENT_ID: 'id', SSO_GOOGLE_CLIENT_SECRET: 'the-secret' }
const microsoft = {
  SSO_PROVIDERS: 'MICROSOFT',
  SSO_MICROSOFT_CLIENT_ID: 'id',
  SSO_MICROSOFT_CLIENT_SECRET: 'the-secret',
}
const okta = { SSO_PROVIDERS: 'OKTA', SSO_OKTA_CLIENT_ID: 'id', SSO_OKTA_CLIENT_SECRET: 'the-secret' }
const TENANT = '11111111-2222-3333-4444-555555555555'

const read = (env: Record<string, string>) => {
  const { config, problems } = readConfig('demo', env)
  return { providers: config.sso, problems, warnings: config.warnings }
}

test('without configuration there is no provider', () => {
  expect(read({})).toEqual({ providers: [], problems: [], warnings: [] })
})

test('Google and Microsoft need client credentials only, others also an issuer', () => {
  const { providers, problems } = read({
    ...google,
    ...microsoft,
    ...okta,
    SSO_PROVIDERS: 'GOOGLE, MICROSOFT,OKTA',
    SSO_OKTA_ISSUER: 'https://acme.okta.example',
    SSO_OKTA_LABEL: 'Acme',
    SSO_OKTA_SCOPES: 'openid  email',
    SSO_OKTA_TRUST_EMAIL: 'true',
    SSO_OKTA_TRUST_REAUTHENTICATION: 'true',
  })
  const client = { clientId: 'id', clientSecret: 'the-secret' }
  const defaults = {
    ...client,
    scopes: 'openid profile email',
    trustEmail: false,
    trustReauthentication: false,
  }
  expect(problems).toEqual([])
  expect(providers).toEqual([
    { ...defaults, name: 'GOOGLE', label: 'Google', issuer: 'https://accounts.google.com' },
    {
      ...defaults,
      name: 'MICROSOFT',
      label: 'Microsoft',
      issuer: 'https://login.microsoftonline.com/common/v2.0',
    },
    {
      ...client,
      name: 'OKTA',
      label: 'Acme',
      issuer: 'https://acme.okta.example',
      scopes: 'openid email',
      trustEmail: true,
      trustReauthentication: true,
    },
  ])
})

test('a Microsoft tenant is configured by its id', () => {
  const { providers, problems } = read({ ...microsoft, SSO_MICROSOFT_TENANT: TENANT.toUpperCase() })
  expect(problems).toEqual([])
  expect(providers[0]?.issuer).toBe(`https://login.microsoftonline.com/${TENANT}/v2.0`)
})

describe('all problems are reported together and without the secret', () => {
  test.each([
    ['only a name', { SSO_PROVIDERS: 'OKTA' }, ['OKTA_ISSUER', 'OKTA_CLIENT_ID', 'OKTA_CLIENT_SECRET']],
    ['a lowercase name', { ...google, SSO_PROVIDERS: 'google' }, ['"google"']],
    ['a name twice', { ...google, SSO_PROVIDERS: 'GOOGLE,GOOGLE' }, ['GOOGLE twice']],
    ['plain http', { ...okta, SSO_OKTA_ISSUER: 'http://acme.example' }, ['https://']],
    ['an invalid URL', { ...okta, SSO_OKTA_ISSUER: 'acme' }, ['SSO_OKTA_ISSUER']],
    ['a query', { ...okta, SSO_OKTA_ISSUER: 'https://acme.example/?x=1' }, ['without user, query']],
    ['scopes without openid', { ...google, SSO_GOOGLE_SCOPES: 'email' }, ['openid']],
    ['an invalid boolean for trust in addresses', { ...google, SSO_GOOGLE_TRUST_EMAIL: 'yes' }, ['true, false']],
    [
      'trust in reauthentication at Google',
      { ...google, SSO_GOOGLE_TRUST_REAUTHENTICATION: 'true' },
      ['Google does not support'],
    ],
    [
      'an invalid boolean for trust in reauthentication',
      { ...google, SSO_GOOGLE_TRUST_REAUTHENTICATION: '1' },
      ['true, false'],
    ],
    ['a tenant by its domain', { ...microsoft, SSO_MICROSOFT_TENANT: 'acme.example' }, ['id of a tenant']],
    [
      'a tenant and an issuer',
      { ...microsoft, SSO_MICROSOFT_TENANT: TENANT, SSO_MICROSOFT_ISSUER: 'https://acme.example' },
      ['both set'],
    ],
    ['trust in all of Microsoft', { ...microsoft, SSO_MICROSOFT_TRUST_EMAIL: 'true' }, ['id of one tenant']],
    [
      'trust in all of Microsoft, under another name and spelling',
      {
        ...okta,
        SSO_OKTA_ISSUER: 'https://LOGIN.microsoftonline.com:443/common/v2.0',
        SSO_OKTA_TRUST_EMAIL: 'true',
      },
      ['id of one tenant'],
    ],
  ])('%s', (_name, env, expected) => {
    const { problems } = read(env)
    expect(problems).toHaveLength(expected.length)
    for (const text of expected) expect(problems.join('\n')).toContain(text)
    expect(problems.join('\n')).not.toContain('the-secret')
  })
})

test('trust in addresses of one tenant, and http on localhost, are allowed', () => {
  expect(read({ ...microsoft, SSO_MICROSOFT_TENANT: TENANT, SSO_MICROSOFT_TRUST_EMAIL: 'true' }).problems).toEqual([])
  expect(read({ ...okta, SSO_OKTA_ISSUER: 'http://127.0.0.1:9/x' }).problems).toEqual([])
})

test('a configured provider that is not listed is warned about', () => {
  const { warnings } = read({ SSO_GOOGLE_CLIENT_ID: 'id' })
  expect(warnings).toEqual(['SSO_GOOGLE_CLIENT_ID is set, but SSO_PROVIDERS does not hold GOOGLE.'])
})
