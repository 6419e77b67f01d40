import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sections } from '../../src/app.ts'
import { applyChanges, planChanges } from '../../src/declaration/apply.ts'
import { passwordProblem, requireStrongPassword } from '../../src/users/chosen-password.ts'
import { createSuperAdmin } from '../../src/users/service.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const post = (path: string, body: unknown) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

const PERSON = { givenName: 'Anne-Marie', familyName: "O'Neill Łukasz", displayName: 'The Quick Fox' }
let userCount = 0
const register = async (password: string, email = `anne.marie-${userCount++}@example.test`) => ({
  email,
  response: await post('/api/auth/register', { email, password, ...PERSON }),
})

const COMMON = 'This password is one of the first that others try. Choose another.'
const OWN = 'A name or an email address of your own is no password. Choose another.'

test.each([
  ['', /at least 8 characters/],
  ['1234567', /at least 8 characters/],
  ['🗝🗝🗝🗝🗝🗝🗝', /at least 8 characters/],
  // Seven characters, each a letter with a combining accent.
  ['e\u0301'.repeat(7), /at least 8 characters/],
  ['x'.repeat(1025), /at most 1024 characters/],
  // One code point that NFKC expands to eighteen.
  ['\ufdfa'.repeat(100), /at most 1024 characters/],
  ['password', COMMON],
  ['PassWord', COMMON],
  ['ｐａｓｓｗｏｒｄ', COMMON],
  ['12345678', COMMON],
  ['qwertyuiop', COMMON],
  ['iloveyou1', COMMON],
  ['password1', COMMON],
  ['Anne-Marie', OWN],
  ['ANNEmarie', COMMON],
  ['anne.marie', OWN],
  ['  ANNE MARIE  ', OWN],
  ['ONeill Łukasz', OWN],
  ['o’neill łukasz', OWN],
  ['anne_marie.o.neill.łukasz', OWN],
  ["O'Neill Łukasz, Anne-Marie", OWN],
  ['thequickfox', OWN],
])('%j is refused with a reason', async (password, reason) => {
  const { response } = await register(password)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({
    error: 'WEAK_PASSWORD',
    message: typeof reason === 'string' ? reason : expect.stringMatching(reason),
  })
})

test.each(['Jo.Somebody@Example.test', 'jo.somebody@example.test', 'jo.somebody', 'JoSomebody', 'jo somebody'])(
  'the own address is refused as password: %s',
  async (password) => {
    const { response } = await register(password, 'Jo.Somebody@example.test')
    expect(await response.json()).toMatchObject({ error: 'WEAK_PASSWORD', message: OWN })
  },
)

test.each([
  'latchkey-demo-2026',
  'qhwzkdpxmvbtrjyclgfn',
  'eight ch',
  '        a       ',
  '🗝🌲🚲🧭🪁🍋🎻🧊',
  'Анна идёт домой',
  'Anne-Marie 1987',
  `${'correct horse '.repeat(5).slice(0, 64)}`,
  'k9'.repeat(64),
  'z'.repeat(1024),
  '🗝'.repeat(1024),
])('%j is accepted and signs in', async (password) => {
  const { email, response } = await register(password)
  expect(response.status).toBe(201)
  expect((await post('/api/auth/login', { email, password })).status).toBe(200)
})

test('all characters of a password of 1024 characters matter', async () => {
  const stem = 'm'.repeat(1023)
  const { email } = await register(`${stem}a`)
  expect((await post('/api/auth/login', { email, password: `${stem}b` })).status).toBe(401)
  expect((await post('/api/auth/login', { email, password: stem })).status).toBe(401)
  expect((await post('/api/auth/login', { email, password: `${stem}a` })).status).toBe(200)
})

test('a password is the same in every Unicode normalization', async () => {
  const composed = 'Crème brûlée ½'
  const { email } = await register(composed)
  for (const password of [composed, composed.normalize('NFD'), composed.normalize('NFKC')]) {
    expect((await post('/api/auth/login', { email, password })).status).toBe(200)
  }
  expect((await post('/api/auth/login', { email, password: 'Creme brulee ½' })).status).toBe(401)
  const apart = await register(composed.normalize('NFD'))
  expect((await post('/api/auth/login', { email: apart.email, password: composed })).status).toBe(200)
})

describe('an operator', () => {
  const declare = async (user: object) =>
    applyChanges(service.ctx, await planChanges(service.ctx, sections, { users: [user] }))

  test.each([
    [{ email: 'a@example.test', password: 'Password1' }, COMMON],
    [{ email: 'b@example.test', password: 'short' }, 'The password must have at least 8 characters.'],
    [{ email: 'c@example.test', password: 'carla berg', givenName: 'Carla', familyName: 'Berg' }, OWN],
    [
      { email: 'd@example.test', password: 'only fourteen!', superAdmin: true },
      'The password must have at least 15 characters.',
    ],
  ])('cannot declare a user with a weak password: %j', async (user, reason) => {
    await expect(declare(user)).rejects.toMatchObject({
      name: 'OperatorError',
      message: `The user ${user.email} is not valid: ${reason}`,
    })
  })

  test.each([
    ['only fourteen!', 'The password must have at least 15 characters.'],
    ['PasswordPassword', COMMON],
    ['somebody.long.named@example.test', OWN],
    ['Somebody Long Named', OWN],
  ])('cannot create a Super Admin with the password %j', async (password, message) => {
    const made = createSuperAdmin(service.ctx, 'somebody.long.named@example.test', password)
    await expect(made).rejects.toMatchObject({ name: 'OperatorError', message })
  })
})

test('a Super Admin needs 15 characters, other users need 8', () => {
  const traits = { email: 'x@example.test', names: [null, undefined, ''] }
  expect(passwordProblem('fourteen chars', { ...traits, superAdmin: true })).toMatch(/at least 15/)
  expect(passwordProblem('fifteen charact', { ...traits, superAdmin: true })).toBeUndefined()
  expect(passwordProblem('fourteen chars', { ...traits, superAdmin: false })).toBeUndefined()
  const weak = () => requireStrongPassword('password', { ...traits, superAdmin: false })
  expect(weak).toThrow(COMMON)
})

test('empty names forbid no password', () => {
  const traits = { email: 'x@example.test', names: ['', ' ', '-'], superAdmin: false }
  expect(passwordProblem('- - - - - - -', traits)).toBeUndefined()
})
