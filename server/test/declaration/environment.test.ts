import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findClient, findSecret } from '../../src/applications/clients.ts'
import { createConcealer, escapeReference, resolveReferences } from '../../src/declaration/environment.ts'
import { startService, type TestService } from '../support/service.ts'
import { apply } from './apply-yaml.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const reference = (name: string) => `\${env:${name}}`
const ENV = { OPS_SECRET: 'the-secret-of-operations', ADMIN: 'Boss@Env.test', TITLE: 'Quote " and\nline' }

const YAML = `
users: [{ email: "${reference('ADMIN')}" }]
applications: [{ slug: env-app, name: Env }]
clients:
  - { clientId: env-ops, application: env-app, kind: MACHINE, name: Ops, secret: "${reference('OPS_SECRET')}" }
`

test('a reference is replaced by the value of the variable, and the plan shows only the reference', async () => {
  const plan = await apply(service.ctx, YAML, { env: ENV })
  expect(plan).toContain(`  + user ${reference('ADMIN')}\n`)
  expect(plan).toContain('      secret: (hidden)\n')
  expect(plan).not.toMatch(/boss@env|the-secret/i)
  const client = await findClient(service.ctx, 'env-ops')
  expect(client && findSecret(client, ENV.OPS_SECRET)).toBeDefined()
  const users = await service.ctx.db.selectFrom('users').select('email').execute()
  expect(users).toEqual([{ email: 'boss@env.test' }])
  expect(await apply(service.ctx, YAML, { env: ENV })).toBe('Nothing to change.')
})

test.each([
  ['an unset variable', 'OPS_SECRET', {}, 'clients.0.secret refers to the variable OPS_SECRET, which is not set.'],
  ['an empty variable', 'OPS_SECRET', { OPS_SECRET: '' }, 'OPS_SECRET, which is not set'],
  ['an invalid name', '1 2', ENV, 'clients.0.secret refers to a variable with an invalid name.'],
])('%s is refused with the path of the field', async (_, name, env, message) => {
  const yaml = YAML.replace('OPS_SECRET', name)
  await expect(apply(service.ctx, yaml, { env: { ADMIN: ENV.ADMIN, ...env } })).rejects.toThrow(message)
})

describe('a reference', () => {
  test('must be the whole text, and one more $ escapes it', () => {
    const text = {
      a: `x ${reference('TITLE')}`,
      b: `$${reference('TITLE')}`,
      c: [`$$${reference('NONE')}`],
      d: 5,
    }
    expect(resolveReferences(text, ENV).content).toEqual({
      ...text,
      b: reference('TITLE'),
      c: [`$${reference('NONE')}`],
    })
  })

  test.each([reference('X'), `$${reference('X')}`, reference(''), reference('a}\n{b'), 'plain', '$', '$$'])(
    'that is escaped is read as the original text: %j',
    (text) => {
      expect(resolveReferences([escapeReference(text)], {}).content).toEqual([text])
    },
  )

  test('replaces its value in output', () => {
    const conceal = createConcealer(new Map(Object.entries(ENV)))
    const output = `for boss@env.test: ${JSON.stringify(ENV.TITLE)} and ${ENV.TITLE}, ${ENV.OPS_SECRET}.`
    expect(conceal(output)).toBe(
      `for ${reference('ADMIN')}: "${reference('TITLE')}" and ${reference('TITLE')}, ${reference('OPS_SECRET')}.`,
    )
  })
})
