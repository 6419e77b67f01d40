import cluster from 'node:cluster'
import type { Config } from '../../config.ts'
import type { ServiceHooks } from '../service-hooks.ts'
import { leadWorkers } from './lead.ts'
import { runWorker } from './work.ts'

/** The same command starts the first process and, by that, all others. */
export const runOneOfSeveral = (config: Config, hooks: ServiceHooks): Promise<void> =>
  cluster.isWorker ? runWorker(config) : leadWorkers(config, hooks)
