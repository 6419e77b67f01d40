import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { acceptInvitation, inviteNewAddress, newAccountFields } from '../support/invitations.ts'
import { unique } from '../support/service.ts'
import { createTenant } from '../support/tenant-administration.ts'
import { newCaller, newOwnedTenant } from '../support/tenants.ts'
import { newAddress, newUser } from '../support/users.ts'

const { tenant, owner } = await newOwnedTenant()
const { headers } = owner
const { token } = await inviteNewAddress(headers, tenant.id)
const user = await newUser()

const password = unique('a long enough secret')
const patchMe = (body: object) => call('PATCH', '/api/users/me', { headers, body })
const register = (body: object) =>
  call('POST', '/api/auth/register', { body: { email: newAddress(), password, ...body } })
const patchUser = (body: object) => callAdmin('PATCH', `/users/${user.id}`, body)

/** Every route that sets a name, and the field with the name. */
const ROUTES: [string, string, (name: string) => Promise<{ status: number; body: object }>][] = [
  ['a new tenant', 'name', (name) => call('POST', '/api/tenants', { headers, body: { name } })],
  ['a tenant', 'name', (name) => call('PATCH', `/api/tenants/${tenant.id}`, { headers, body: { name } })],
  ['a new tenant, by an operator', 'name', (name) => createTenant({ name, slug: unique('t') })],
  ['a tenant, by an operator', 'name', (name) => callAdmin('PATCH', `/tenants/${tenant.id}`, { name })],
  ...['displayName', 'givenName', 'familyName', 'middleName', 'nickname'].map((field): (typeof ROUTES)[number] => [
    'oneself',
    field,
    (name) => patchMe({ [field]: name }),
  ]),
  ...['displayName', 'givenName', 'familyName'].flatMap((field): typeof ROUTES => [
    ['a person who signs up', field, (name) => register({ [field]: name })],
    ['a user, by an operator', field, (name) => patchUser({ [field]: name })],
    [
      'a new user, by an operator',
      field,
      (name) => callAdmin('POST', '/users', { email: newAddress(), password, [field]: name }),
    ],
  ]),
  ...['givenName', 'familyName'].map((field): (typeof ROUTES)[number] => [
    'a person who accepts an invitation',
    field,
    (name) => acceptInvitation(token, { ...newAccountFields(), [field]: name }),
  ]),
]

const WEB_ADDRESSES = [
  'https://evil.test',
  'HTTP://EVIL',
  'Win a prize at ftp://evil.test now',
  'www.evil.test',
  'Go to WWW.evil.test',
  'evil.test/login',
  'Sign in again: login.evil.test/reset?x=1',
  'evil.test:8443',
  'evil.test?user=you',
  'evil.test./login',
  'evil.xn--p1ai/login',
  'evil.test\\login',
  'evil.test\u2215login',
  'evil.\u034ftest/login',
  '192.0.2.1/login',
  // With other characters or invisible characters in between.
  'ｈｔｔｐｓ：／／ｅｖｉｌ．ｔｅｓｔ',
  'evil。test/login',
  'w\u200bww.ev\u00adil.test',
]

const NAMES = [
  'Acme Inc.',
  'Booking.com',
  'Amazon.de GmbH & Co. KG',
  'St. Mary’s Hospital',
  'S.p.A. Rossi e Figli',
  'AC/DC',
  'Müller/Meier GbR',
  '24/7 Support',
  'Who? What!',
  'Ratio 3:10',
  '株式会社。東京',
]

describe.each(ROUTES)('T110: the name of %s (%s)', (_, field, give) => {
  test('must not contain a web address', async () => {
    for (const name of WEB_ADDRESSES) {
      const { status, body } = await give(name)
      expect(status, name).toBe(422)
      const details = [{ field, message: expect.stringContaining('web address') }]
      expect(body, name).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
    }
  })
})

test('T110: usual names of companies and people are accepted', async () => {
  const caller = await newCaller()
  for (const name of NAMES) {
    const created = await call('POST', '/api/tenants', { headers: caller.headers, body: { name } })
    expect(created, name).toMatchObject({ status: 201, body: { name } })
    const called = await call('PATCH', '/api/users/me', {
      headers: caller.headers,
      body: { displayName: name },
    })
    expect(called, name).toMatchObject({ status: 200, body: { displayName: name } })
  }
})
