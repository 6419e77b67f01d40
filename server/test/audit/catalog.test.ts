import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACTIONS, EVENT_TYPES, getActionDefinition } from '../../src/audit/catalog.ts'
import { EventBody } from '../../src/audit/event-body.ts'
import { createExampleEvent } from '../../src/audit/event-example.ts'
import { recordAuditEvent, SYSTEM } from '../../src/audit/record.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const withDetails = ACTIONS.filter((action) => getActionDefinition(action).details)

test.each(withDetails)('the example of %s matches its schema, which allows no other properties', (action) => {
  const { details, example } = getActionDefinition(action)
  if (!details) throw new Error('no details schema')
  expect(Value.Errors(details, example)).toEqual([])
  expect(Value.Check(details, { ...example, unknown: 1 })).toBe(false)
})

test('an action without a details schema has no example', () => {
  expect(
    ACTIONS.filter((action) => getActionDefinition(action).example && !getActionDefinition(action).details),
  ).toEqual([])
})

test.each(EVENT_TYPES)('the documented example of %s matches the schema of events', (type) => {
  expect(Value.Errors(EventBody, createExampleEvent(type))).toEqual([])
})

test.each([
  ['session.ended', {}],
  ['session.ended', { sessionId: 'not an id' }],
  ['session.others_ended', { count: 1, more: true }],
  ['user.password_changed', { to: 'something' }],
] as const)('an entry %s with the invalid details %o is refused in strict mode', async (action, details) => {
  const entry = { action, actor: SYSTEM, details }
  await expect(recordAuditEvent(service.ctx, service.ctx.db, entry)).rejects.toThrow('do not match the catalog')
})

test('details that repeat personal data are refused in strict mode', async () => {
  const entry = {
    action: 'user.profile_changed',
    actor: SYSTEM,
    details: { fields: ['Mia Maple'] },
    personal: { after: { displayName: 'Mia Maple' } },
  } as const
  await expect(recordAuditEvent(service.ctx, service.ctx.db, entry)).rejects.toThrow('has the personal "Mia Maple"')
})

test('in production an entry with invalid details is still recorded', async () => {
  const lenient = { ...service.ctx, strict: false }
  await recordAuditEvent(lenient, lenient.db, {
    action: 'user.password_changed',
    actor: SYSTEM,
    details: { odd: 1 },
  })
  const entries = await lenient.db
    .selectFrom('audit_entries')
    .where('action', '=', 'user.password_changed')
    .select('details')
    .execute()
  expect(entries).toEqual([{ details: { odd: 1 } }])
})
