import { describe, expect, test } from 'vitest'
import { admin } from '../support/admin.ts'
import { call, refusal } from '../support/calls.ts'
import { accept, inviteStranger, newcomer } from '../support/invitations.ts'
import { unique } from '../support/service.ts'
import { createTenant } from '../support/tenant-administration.ts'
import { newInsider, newOwnedTenant } from '../support/tenants.ts'
import { newAddress, newUser } from '../support/users.ts'

const { tenant, owner } = await newOwnedTenant()
const { headers } = owner
const { token } = await inviteStranger(headers, tenant.id)
const user = await newUser()

const password = unique('a long enough secret')
const patchMe = (body: object) => call('PATCH', '/api/users/me', { headers, body })
const register = (body: object) =>
  call('POST', '/api/auth/register', { body: { email: newAddress(), password, ...body } })
const patchUser = (body: object) => admin('PATCH', `/users/${user.id}`, body)

/** Every way to give a name by the API, and the field that holds it. */
const DOORS: [string, string, (name: string) => Promise<{ status: number; body: object }>][] = [
  ['a new tenant', 'name', (name) => call('POST', '/api/tenants', { headers, body: { name } })],
  ['a tenant', 'name', (name) => call('PATCH', `/api/tenants/${tenant.id}`, { headers, body: { name } })],
  ['a new tenant, by an operator', 'name', (name) => createTenant({ name, slug: unique('t') })],
  ['a tenant, by an operator', 'name', (name) => admin('PATCH', `/tenants/${tenant.id}`, { name })],
  ...['displayName', 'givenName', 'familyName', 'middleName', 'nickname'].map(
    (field): (typeof DOORS)[number] => ['oneself', field, (name) => patchMe({ [field]: name })],
  ),
  ...['displayName', 'givenName', 'familyName'].flatMap((field): typeof DOORS => [
    ['who signs up', field, (name) => register({ [field]: name })],
    ['a user, by an operator', field, (name) => patchUser({ [field]: name })],
    [
      'a new user, by an operator',
      field,
      (name) => admin('POST', '/users', { email: newAddress(), password, [field]: name }),
    ],
  ]),
  ...['givenName', 'familyName'].map((field): (typeof DOORS)[number] => [
    'who accepts an invitation',
    field,
    (name) => accept(token, { ...newcomer(), [field]: name }),
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
  // The same in other letters, or with something invisible in between.
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

describe.each(DOORS)('T110: the name of %s (%s)', (_, field, give) => {
  test('holds no address of the web', async () => {
    for (const name of WEB_ADDRESSES) {
      const { status, body } = await give(name)
      expect(status, name).toBe(422)
      const details = [{ field, message: expect.stringContaining('web address') }]
      expect(body, name).toEqual(refusal(422, 'VALIDATION_FAILED', { details }))
    }
  })
})

test('T110: a tenant and a person are called as companies and people are called', async () => {
  const insider = await newInsider()
  for (const name of NAMES) {
    const founded = await call('POST', '/api/tenants', { headers: insider.headers, body: { name } })
    expect(founded, name).toMatchObject({ status: 201, body: { name } })
    const called = await call('PATCH', '/api/users/me', {
      headers: insider.headers,
      body: { displayName: name },
    })
    expect(called, name).toMatchObject({ status: 200, body: { displayName: name } })
  }
})
