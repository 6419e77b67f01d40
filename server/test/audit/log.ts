import { CompiledQuery } from 'kysely'
import { readEnd } from '../../src/audit/chain/link.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import type { Finding } from '../../src/audit/chain/verify/walk.ts'
import { type Verdict, verifyChain } from '../../src/audit/chain/verify.ts'
import { person, record } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import { newId } from '../../src/lib/ids.ts'
import { startService, type TestService } from '../support/service.ts'

/** Somebody's day, as many entries long, in the chain. */
export async function writeSome(ctx: Ctx, count: number, { tenantId }: { tenantId?: string } = {}) {
  for (let turn = 0; turn < count; turn++) {
    const userId = newId()
    await record(ctx, ctx.db, {
      ...{ action: 'member.joined', actor: person(userId), userId, tenantId: tenantId ?? newId() },
      details: { after: { role: 'member', status: 'ACTIVE' } },
      personal: { email: `somebody-${turn}@people.test` },
    })
  }
  await extendChain(ctx)
}

export interface Verified extends Verdict {
  findings: Finding[]
}

export async function verify(ctx: Ctx, head?: string): Promise<Verified> {
  const findings: Finding[] = []
  const verdict = await verifyChain(ctx, {
    known: head === undefined ? undefined : readEnd(head),
    onFinding: (finding) => findings.push(finding),
    onProgress: () => {},
  })
  return { ...verdict, findings }
}

export const run = async (ctx: Ctx, text: string) =>
  (await ctx.db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text))).rows

const TABLES = ['audit_entries', 'audit_chain', 'audit_pending']

/** What somebody does who owns the database and may switch off its triggers. */
export async function tamper(ctx: Ctx, ...statements: string[]): Promise<void> {
  const all = [
    ...TABLES.map((table) => `alter table ${table} disable trigger user`),
    ...statements,
    ...TABLES.map((table) => `alter table ${table} enable trigger user`),
  ]
  await ctx.db.transaction().execute(async (tx) => {
    for (const text of all) await tx.executeQuery(CompiledQuery.raw(text))
  })
}

/** A service that has just begun to write down: what its start left in the log is not there. */
export async function startUnwritten(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService(options)
  await tamper(service.ctx, 'delete from audit_entries', 'delete from audit_pending')
  return service
}

/** Links by position, with the entries that they hold. */
export const links = (ctx: Ctx) =>
  ctx.db
    .selectFrom('audit_chain')
    .innerJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
    .selectAll('audit_chain')
    .select(['occurred_at', 'action'])
    .orderBy('position')
    .execute()
