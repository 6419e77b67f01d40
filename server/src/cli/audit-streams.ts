import { Command } from 'commander'
import { deleteStream, listStreams } from '../audit/streams/store.ts'
import { loadCommandConfig, processEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { runCommand } from './run.ts'

export const streams = new Command('streams')
  .description('show how far the audit log was sent to each target of AUDIT_STREAMS')
  .option('--forget <name>', 'delete the position of a target, so that it starts again as a new one')
  .action(async ({ forget }: { forget?: string }) => {
    const config = loadCommandConfig(processEnvironment())
    await runCommand(config, async (ctx) => {
      if (forget !== undefined) {
        if (await deleteStream(ctx.db, forget)) return console.log(`The position of ${forget} was deleted.`)
        throw new OperatorError(`There is no audit stream ${forget}. "latchkey audit streams" lists them.`)
      }
      const configured = config.auditStreams.map(({ name }) => name)
      const found = await listStreams(ctx.db)
      if (found.length === 0) console.log('No audit stream has started yet. Set AUDIT_STREAMS to configure one.')
      for (const stream of found) console.log(describe(stream, configured.includes(stream.name)))
    })
  })

type FoundStream = Awaited<ReturnType<typeof listStreams>>[number]

function describe(stream: FoundStream, isConfigured: boolean): string {
  const { name, position, head, confirmedAt, failures, lastError, retryAt } = stream
  return [
    `${name}  position ${position} of ${head}, ${head - position} waiting`,
    confirmedAt === null ? 'nothing confirmed yet' : `last confirmed ${confirmedAt.toISOString()}`,
    ...(isConfigured ? [] : ['not in AUDIT_STREAMS: nothing is sent']),
    ...(lastError === null
      ? []
      : [`${failures} failed in a row (${lastError}), next attempt ${retryAt?.toISOString() ?? 'now'}`]),
  ].join(', ')
}
