import { expect, test } from 'vitest'
import { baseUrl, readResponse } from '../support/service.ts'

// The checks of the single module of the oidcc-config-certification-test-plan.
const MODULE = 'oidcc-discovery-endpoint-verification'
const { status, headers, body } = await readResponse<Record<string, string | string[]>>(
  await fetch(`${baseUrl}/.well-known/openid-configuration`),
)
const endpoints = Object.entries(body).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))

test(`${MODULE}: the document is 200 JSON`, () => {
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
})

test(`${MODULE}: the issuer is the base of the document URL, without query or fragment`, () => {
  expect(body.issuer).toBe(baseUrl)
  expect(String(body.issuer)).not.toMatch(/[?#]/)
})

test(`${MODULE}: every required member exists, no list is empty and nothing is null`, () => {
  // OpenID Connect Discovery 1.0 §3
  for (const name of [
    'issuer',
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'response_types_supported',
    'subject_types_supported',
    'id_token_signing_alg_values_supported',
    'scopes_supported',
    'claims_supported',
  ]) {
    expect(body, name).toHaveProperty(name)
  }
  for (const [name, value] of Object.entries(body)) {
    expect(value, name).not.toBeNull()
    if (Array.isArray(value)) expect(value.length, name).toBeGreaterThan(0)
  }
})

test(`${MODULE}: every endpoint is a URL below the issuer, with the same scheme`, () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(7)
  for (const [name, value] of endpoints) expect(String(value), name).toMatch(new RegExp(`^${baseUrl}/`))
})

test(`${MODULE}: openid, RS256 and the PKCE methods are listed`, () => {
  expect(body.scopes_supported).toContain('openid')
  expect(body.id_token_signing_alg_values_supported).toContain('RS256')
  expect(body.code_challenge_methods_supported).toEqual(['S256', 'plain'])
})

test(`${MODULE}: the keys are public, and no two share a kid`, async () => {
  const { body: jwks } = await readResponse<{ keys: Record<string, string>[] }>(await fetch(String(body.jwks_uri)))
  const kids = jwks.keys.map((key) => key.kid)
  expect(new Set(kids).size).toBe(kids.length)
  for (const key of jwks.keys) expect(Object.keys(key)).not.toContain('d')
})

test(`${MODULE}: request_uri is explicitly not supported, because the default is true`, () => {
  expect(body.request_uri_parameter_supported).toBe(false)
})
