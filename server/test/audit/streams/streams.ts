import { extendChain } from '../../../src/audit/chain/service.ts'
import { type Stream, streamDueBatches } from '../../../src/audit/streams/stream.ts'
import { createTarget } from '../../../src/audit/streams/targets/create-target.ts'
import type { AuditStream, OtlpSettings, S3Settings, SyslogSettings } from '../../../src/config/audit-streams.ts'
import type { Ctx } from '../../../src/context.ts'
import type { TestService } from '../../support/service.ts'
import { listLinks } from '../log.ts'
import { CREDENTIALS, REGION } from './s3-server.ts'

const COMMON = { from: 'beginning', delayMs: 0, tls: {} } as const

type Changes<S> = Partial<S> & { name: string; url: string }
export const otlp = (changes: Changes<OtlpSettings>): OtlpSettings => ({
  type: 'otlp',
  headers: {},
  ...COMMON,
  ...changes,
})
export const s3 = (changes: Changes<S3Settings>): S3Settings => ({
  type: 's3',
  region: REGION,
  ...CREDENTIALS,
  ...COMMON,
  ...changes,
})
export const syslog = (changes: Changes<SyslogSettings>): SyslogSettings => ({ type: 'syslog', ...COMMON, ...changes })

/** A stream without the job that runs it. */
export function openStream({ ctx }: TestService, settings: AuditStream): Stream {
  return { settings, target: createTarget(settings, { baseUrl: ctx.config.baseUrl, now: ctx.now }) }
}

const never = new AbortController().signal

/** Links new entries and sends what is due. */
export async function runStream({ ctx }: TestService, stream: Stream, stop = never): Promise<void> {
  await extendChain(ctx)
  // The first run creates the row of a new target.
  if (!(await findRow(ctx, stream.settings.name))) await streamDueBatches(ctx, stream, stop)
  await streamDueBatches(ctx, stream, stop)
}

export const findRow = (ctx: Ctx, name: string) =>
  ctx.db.selectFrom('audit_streams').selectAll().where('name', '=', name).executeTakeFirst()

/** The ids of the audit log in the order of the chain. */
export const listIds = async (ctx: Ctx): Promise<string[]> => (await listLinks(ctx)).map(({ entry_id }) => entry_id)

export const idsOf = (events: { id: string }[]): string[] => events.map(({ id }) => id)

/** The first arrival of each event, in the order of arrival. */
export const withoutRepetitions = (ids: string[]): string[] => [...new Set(ids)]
