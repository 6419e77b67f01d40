import { afterAll, beforeAll, expect, test } from 'vitest'
import { apply, exportAll } from '../declaration/apply-yaml.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.close())

test('a declaration edits the texts of mails, once, and leaves other texts as they are', async () => {
  const { ctx } = service
  const yaml = 'mailTemplates: [{ kind: restored, subject: "Back at {{application}}" }]'
  expect(await apply(ctx, yaml)).toContain('subject: "Back at {{application}}"')
  expect(await apply(ctx, yaml)).toBe('Nothing to change.')
  expect(await apply(ctx, 'mailTemplates: [{ kind: restored, button: Open }]')).toContain('button: null → "Open"')
  expect(await apply(ctx, yaml)).toBe('Nothing to change.')
  expect(await exportAll(ctx)).toContain('mailTemplates:\n  - kind: restored\n')
  const [entry] = await ctx.db
    .selectFrom('audit_entries')
    .select(['action', 'actor_kind'])
    .where('action', '=', 'mail_template.changed')
    .execute()
  expect(entry).toEqual({ action: 'mail_template.changed', actor_kind: 'system' })
  await apply(ctx, 'mailTemplates: [{ kind: restored, subject: null, button: null }]')
  expect(await exportAll(ctx)).toContain('mailTemplates: []')
})

test('a declaration edits the texts of a tenant that it creates', async () => {
  const { ctx } = service
  const yaml = `
tenants: [{ slug: harbour, name: Harbour }]
tenantMailTemplates: [{ tenant: harbour, kind: invitation, subject: "Join us" }]`
  expect(await apply(ctx, yaml)).toContain('mail template harbour invitation')
  expect(await apply(ctx, yaml)).toBe('Nothing to change.')
  expect(await exportAll(ctx)).toContain('tenantMailTemplates:\n  - tenant: harbour\n    kind: invitation\n')
})

test.each([
  ['mailTemplates: [{ kind: unknown, subject: Hello }]', 'kind must be one of verify-email'],
  ['mailTemplates: [{ kind: restored, text: "See https://evil.test" }]', 'text must hold no web address'],
  ['mailTemplates: [{ kind: restored, text: "{{secret}}" }]', 'text contains {{secret}}'],
  ['tenantMailTemplates: [{ tenant: nowhere, kind: invitation, subject: Hello }]', 'a tenant that does not exist'],
])('%s is refused', async (yaml, message) => {
  await expect(apply(service.ctx, yaml)).rejects.toThrow(message)
})
