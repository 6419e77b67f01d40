import { expect, test } from 'vitest'
import { describeConsent as describeInConsole } from '../../../console/src/text/consents.ts'
import { describeConsent } from '../../src/applications/consents/scope-texts.ts'

const API = 'https://api.example.com'

test.each([
  [[], []],
  [
    ['offline_access', 'openid', 'email'],
    ['Know who you are', 'See your email address', 'Stay signed in while you are away'],
  ],
  [
    ['reports:write', 'openid', 'reports:read'],
    ['Know who you are', 'reports:read', 'reports:write'],
  ],
  [
    [`${API} write`, API, 'openid', `${API} read`],
    ['Know who you are', `${API}: read, write`],
  ],
  [
    ['constructor', API],
    ['constructor', API],
  ],
])('the scopes %j of a consent read %j, on the hosted page and in the console', (scopes, lines) => {
  expect(describeConsent(scopes)).toEqual(lines)
  expect(describeInConsole(scopes)).toEqual(lines)
})
