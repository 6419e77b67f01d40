import { expect, test } from 'vitest'
import { newApplication, newClient } from '../support/admin.ts'
import {
  authorize,
  CHALLENGE,
  exchangeCode,
  getCode,
  NO_PKCE,
  PLAIN,
  readRedirect,
  S256,
  VERIFIER,
} from '../support/oauth.ts'
import { newPerson } from '../support/person.ts'
import { type Fields, unique } from '../support/service.ts'

const application = await newApplication()
const spa = await newClient(application, 'SPA')
const web = await newClient(application, 'WEB')
const someone = await newPerson()

const ask = async (fields: Fields, client = spa) => authorize(await someone.signIn(), client, fields)
const newCode = async (client: typeof spa | typeof web, extra: Fields) => getCode(await someone.signIn(), client, extra)

const refused = {
  status: 400,
  body: { error: expect.stringMatching(/^invalid_(grant|request)$/), error_description: expect.any(String) },
}

test.each<[string, Fields]>([
  ['no challenge', NO_PKCE],
  ['an empty challenge', { code_challenge: '' }],
  ['a challenge without method', { code_challenge_method: undefined }],
  ['a method without challenge', { code_challenge: undefined }],
])('T018: an SPA with %s gets invalid_request and no code', async (_, fields) => {
  const state = unique('state')
  const response = readRedirect(await ask({ ...fields, state }))
  expect(response).toMatchObject({ error: 'invalid_request', state })
  expect(response).not.toHaveProperty('code')
})

test.each<[string, string]>([
  ['S512', CHALLENGE],
  ['s256', CHALLENGE],
  ['PLAIN', VERIFIER],
  ['', CHALLENGE],
  ['S256', 'c'.repeat(42)],
  ['S256', 'c'.repeat(129)],
  ['S256', `${CHALLENGE.slice(0, 40)}+/=`],
  ['plain', 'v'.repeat(42)],
  ['plain', 'v'.repeat(129)],
  ['plain', `${'v'.repeat(43)}é`],
])('T019: method "%s" with challenge %s is invalid_request', async (code_challenge_method, code_challenge) => {
  const response = readRedirect(await ask({ code_challenge_method, code_challenge }))
  expect(response).toMatchObject({ error: 'invalid_request' })
})

test('T019: a client set to S256 only refuses plain (D4)', async () => {
  const strict = await newClient(application, 'SPA', { pkceMethods: ['S256'] })
  expect(readRedirect(await ask(PLAIN, strict))).toMatchObject({ error: 'invalid_request' })
  expect(readRedirect(await ask(S256, strict))).toHaveProperty('code')
})

test.each<[string, Fields, string | undefined]>([
  ['S256 without verifier', S256, undefined],
  ['S256 with an empty verifier', S256, ''],
  ['S256 with a wrong verifier', S256, 'w'.repeat(43)],
  ['S256 with the challenge as verifier', S256, CHALLENGE],
  ['S256 with a verifier of 42 characters', S256, VERIFIER.slice(0, 42)],
  ['S256 with a verifier of 129 characters', S256, 'v'.repeat(129)],
  ['plain without verifier', PLAIN, undefined],
  ['plain with an unequal verifier', PLAIN, `${VERIFIER}x`],
  ['plain with the hash as verifier', PLAIN, CHALLENGE],
])('T038: %s is refused', async (_, challenge, code_verifier) => {
  for (const client of [spa, web]) {
    const response = await exchangeCode(client, await newCode(client, challenge), { code_verifier })
    expect(response).toMatchObject(refused)
  }
})

test.each([
  ['plain', PLAIN],
  ['S256', S256],
])('T038: %s with the right verifier is accepted, for public and confidential clients', async (_, challenge) => {
  for (const client of [spa, web]) {
    const response = await exchangeCode(client, await newCode(client, challenge), {
      code_verifier: VERIFIER,
    })
    expect(response.status).toBe(200)
  }
})

test('T038: a verifier without a challenge is refused (downgrade)', async () => {
  const response = await exchangeCode(web, await newCode(web, NO_PKCE), { code_verifier: VERIFIER })
  expect(response).toMatchObject(refused)
})

test('T038: the code does not contain the challenge', async () => {
  const code = await newCode(spa, PLAIN)
  expect(Buffer.from(code, 'base64url').toString('latin1') + code).not.toContain(VERIFIER)
})
