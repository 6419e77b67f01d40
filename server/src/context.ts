import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Db } from './db/open.ts'
import type { Sealer } from './lib/seal.ts'

/** What every part of the service works with, passed by hand. */
export interface Ctx {
  readonly config: Config
  readonly db: Db
  /** The time all nodes agree on. */
  now(): Date
  readonly keys: Sealer
  readonly log: Logger
  /** Set by tests: a route that throws a code it does not declare then fails instead of answering it. */
  readonly strict: boolean
  /** What this process is doing, for the health routes. */
  readonly state: { draining: boolean }
}
