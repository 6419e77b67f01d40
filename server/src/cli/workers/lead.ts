import type { Config } from '../../config.ts'
import type { ServiceHooks } from '../service-hooks.ts'
import { listenForFault, listenForStop } from '../signals.ts'
import { DATABASE_LOST, databaseLost, failureOf, limitStop } from '../stopping.ts'
import { type Crew, hireCrew } from './crew.ts'
import { type Host, openHost } from './host.ts'

/**
 * Runs the service in several processes, like nodes on one database that share a port. This first one answers no
 * requests: it opens the database, prepares the instance, and looks after the others.
 */
export async function leadWorkers(config: Config, hooks: ServiceHooks): Promise<void> {
  const [told, fault] = [listenForStop(), listenForFault()]
  const host = await openHost(config, hooks.prepare)
  const { log } = host.ctx
  for (const warning of config.warnings) log.warn(warning)
  const crew = hireCrew(config.workers, log)
  const lost = host.lost.then(() => DATABASE_LOST)
  const failure = failureOf(() => open(host, crew, hooks))
  let reason: unknown
  try {
    reason = await Promise.race([told, lost, fault, crew.work, failure])
    log.info({ reason }, 'stopping')
  } finally {
    limitStop()
    await crew.stop()
    await host.close()
  }
  log.info('stopped')
  if (reason === DATABASE_LOST) throw databaseLost()
}

/** Tells that the service is ready once all of it is. From then on this process needs the database no more. */
async function open(host: Host, { ready }: Crew, { onReady }: ServiceHooks): Promise<void> {
  await ready
  await onReady(host.ctx)
  await host.rest()
}
