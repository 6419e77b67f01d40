import { Value } from 'typebox/value'
import { expect } from 'vitest'
import { type Action, kindOf } from '../../src/audit/catalogue.ts'
import type { TestService } from '../support/service.ts'

const everything = ({ ctx }: TestService) =>
  ctx.db.selectFrom('audit_entries').selectAll().orderBy('id').execute()

export type LogEntry = Awaited<ReturnType<typeof everything>>[number]

/** What the work adds to the log, oldest first. Every entry is as the catalogue says. */
export async function entriesOfWork(service: TestService, work: () => Promise<unknown>): Promise<LogEntry[]> {
  const before = new Set((await everything(service)).map(({ id }) => id))
  await work()
  const added = (await everything(service)).filter(({ id }) => !before.has(id))
  for (const { action, details } of added) {
    const kind = kindOf(action as Action)
    if (kind.details)
      expect(Value.Errors(kind.details, details), `${action}: ${JSON.stringify(details)}`).toEqual([])
  }
  return added
}

/** The one entry that the work adds. */
export async function entryOfWork(service: TestService, work: () => Promise<unknown>): Promise<LogEntry> {
  const [entry, ...others] = await entriesOfWork(service, work)
  expect(others.map(({ action }) => action)).toEqual([])
  if (!entry) throw new Error('nothing was written down')
  return entry
}

/** The whole log as text, to look for what must not stand in it. */
export const logText = async (service: TestService): Promise<string> =>
  JSON.stringify(await everything(service))

/** Who called, from where, as every entry of a request tells it. */
export const BY_REQUEST = {
  request_id: expect.stringMatching(/./),
  personal: expect.objectContaining({ ipAddress: '127.0.0.1', userAgent: expect.any(String) }),
}

export const BY_OPS = { actor_kind: 'client', actor_id: 'demo-ops', client_id: 'demo-ops', ...BY_REQUEST }
export const BY_SYSTEM = { actor_kind: 'system', actor_id: null }
