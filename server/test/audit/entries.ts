import { Value } from 'typebox/value'
import { expect } from 'vitest'
import { type Action, getActionDefinition } from '../../src/audit/catalog.ts'
import type { TestService } from '../support/service.ts'

const listAll = ({ ctx }: TestService) => ctx.db.selectFrom('audit_entries').selectAll().orderBy('id').execute()

export type AuditEntry = Awaited<ReturnType<typeof listAll>>[number]

/** The entries that the work records, oldest first. Every entry must match the catalog. */
export async function captureEntries(service: TestService, work: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await listAll(service)).map(({ id }) => id))
  await work()
  const added = (await listAll(service)).filter(({ id }) => !before.has(id))
  for (const { action, details } of added) {
    const definition = getActionDefinition(action as Action)
    if (definition.details)
      expect(Value.Errors(definition.details, details), `${action}: ${JSON.stringify(details)}`).toEqual([])
  }
  return added
}

/** The only entry that the work records. */
export async function captureEntry(service: TestService, work: () => Promise<unknown>): Promise<AuditEntry> {
  const [entry, ...others] = await captureEntries(service, work)
  expect(others.map(({ action }) => action)).toEqual([])
  if (!entry) throw new Error('nothing was recorded')
  return entry
}

/** The whole audit log as text, to search for secrets. */
export const logText = async (service: TestService): Promise<string> => JSON.stringify(await listAll(service))

/** The request data in every entry that a request causes. */
export const BY_REQUEST = {
  request_id: expect.stringMatching(/./),
  personal: expect.objectContaining({ ipAddress: '127.0.0.1', userAgent: expect.any(String) }),
}

export const BY_OPS = { actor_kind: 'client', actor_id: 'demo-ops', client_id: 'demo-ops', ...BY_REQUEST }
export const BY_SYSTEM = { actor_kind: 'system', actor_id: null }
