import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS, EVENT_TYPES, kindOf } from '../../src/audit/catalogue.ts'
import { EventBody } from '../../src/audit/event-body.ts'
import { exampleOf } from '../../src/audit/event-example.ts'
import { record, SYSTEM } from '../../src/audit/record.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const told = ACTIONS.filter((action) => kindOf(action).details)

test.each(told)('the example of %s is what its kind says, and nothing may be added to it', (action) => {
  const { details, example } = kindOf(action)
  if (!details) throw new Error('it says nothing')
  expect(Value.Errors(details, example)).toEqual([])
  expect(Value.Check(details, { ...example, unheardOf: 1 })).toBe(false)
})

test('a kind without details has no example of any', () => {
  expect(ACTIONS.filter((action) => kindOf(action).example && !kindOf(action).details)).toEqual([])
})

test.each(EVENT_TYPES)('the docs show %s as it is sent', (type) => {
  expect(Value.Errors(EventBody, exampleOf(type))).toEqual([])
})

test.each([
  ['session.ended', {}],
  ['session.ended', { sessionId: 'not an id' }],
  ['session.others_ended', { count: 1, more: true }],
  ['user.password_changed', { to: 'something' }],
] as const)('an entry %s that says %o is a mistake in the house', async (action, details) => {
  const entry = { action, actor: SYSTEM, details }
  await expect(record(service.ctx, service.ctx.db, entry)).rejects.toThrow('in the catalogue')
})

test('what tells who somebody is may not stand in the details too', async () => {
  const entry = {
    ...({ action: 'user.profile_changed', actor: SYSTEM } as const),
    details: { fields: ['Mia Maple'] },
    personal: { after: { displayName: 'Mia Maple' } },
  }
  await expect(record(service.ctx, service.ctx.db, entry)).rejects.toThrow('has the personal "Mia Maple"')
})

test('in production an entry is written down whatever it says', async () => {
  const lenient = { ...service.ctx, strict: false }
  await record(lenient, lenient.db, { action: 'user.password_changed', actor: SYSTEM, details: { odd: 1 } })
  const entries = await lenient.db
    .selectFrom('audit_entries')
    .where('action', '=', 'user.password_changed')
    .select('details')
    .execute()
  expect(entries).toEqual([{ details: { odd: 1 } }])
})
