import { CompiledQuery } from 'kysely'
import { parseChainHead } from '../../src/audit/chain/link.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import type { Finding } from '../../src/audit/chain/verify/walk.ts'
import { type VerificationResult, verifyChain } from '../../src/audit/chain/verify.ts'
import { recordAuditEvent, userActor } from '../../src/audit/record.ts'
import type { Ctx } from '../../src/context.ts'
import { newId } from '../../src/lib/ids.ts'
import { startService, type TestService } from '../support/service.ts'

/** Records entries and links them to the chain. */
export async function recordEntries(ctx: Ctx, count: number, { tenantId }: { tenantId?: string } = {}) {
  for (let index = 0; index < count; index++) {
    const userId = newId()
    await recordAuditEvent(ctx, ctx.db, {
      action: 'member.joined',
      actor: userActor(userId),
      userId,
      tenantId: tenantId ?? newId(),
      details: { after: { role: 'member', status: 'ACTIVE' } },
      personal: { email: `somebody-${index}@people.test` },
    })
  }
  await extendChain(ctx)
}

export interface VerifiedLog extends VerificationResult {
  findings: Finding[]
}

export async function verifyLog(ctx: Ctx, head?: string): Promise<VerifiedLog> {
  const findings: Finding[] = []
  const result = await verifyChain(ctx, {
    known: head === undefined ? undefined : parseChainHead(head),
    onFinding: (finding) => findings.push(finding),
    onProgress: () => {},
  })
  return { ...result, findings }
}

export const runSql = async (ctx: Ctx, text: string) =>
  (await ctx.db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text))).rows

const TABLES = ['audit_entries', 'audit_chain', 'audit_pending']

/** Simulates an attacker who owns the database and can disable its triggers. */
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

/** Starts a service with an empty audit log. */
export async function startWithEmptyLog(options: Parameters<typeof startService>[0] = {}): Promise<TestService> {
  const service = await startService(options)
  await tamper(service.ctx, 'delete from audit_entries', 'delete from audit_pending')
  return service
}

/** Links by position, with their entries. */
export const listLinks = (ctx: Ctx) =>
  ctx.db
    .selectFrom('audit_chain')
    .innerJoin('audit_entries', 'audit_entries.id', 'audit_chain.entry_id')
    .selectAll('audit_chain')
    .select(['occurred_at', 'action'])
    .orderBy('position')
    .execute()

/** The link at an index of the chain, as with `Array.at`. */
export async function getLink(ctx: Ctx, index: number) {
  const link = (await listLinks(ctx)).at(index)
  if (!link) throw new Error('the chain is too short')
  const { position, entry_id: id, occurred_at: at } = link
  return { position: Number(position), id, at }
}
