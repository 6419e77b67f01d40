import cluster from 'node:cluster'
import type { Config } from '../../config.ts'
import type { ServiceHooks } from '../service-hooks.ts'
import { runPrimary } from './primary.ts'
import { runWorker } from './worker-process.ts'

/** The same command runs as primary and, forked by it, as worker. */
export const runClustered = (config: Config, hooks: ServiceHooks): Promise<void> =>
  cluster.isWorker ? runWorker(config) : runPrimary(config, hooks)
