import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Cache } from './db/cache.ts'
import type { ChangeFeed } from './db/changes.ts'
import type { Db } from './db/open.ts'
import type { Locate } from './lib/geoip.ts'
import type { IpcChannel } from './lib/ipc-channel.ts'
import type { Metrics } from './lib/metrics/metrics.ts'
import type { Sealer } from './lib/seal.ts'
import type { Signer } from './lib/signer.ts'
import type { Tracer } from './lib/tracing/tracer.ts'

/** The dependencies of the service, passed explicitly. */
export interface Ctx {
  readonly config: Config
  readonly db: Db
  /** The time of the database, which all nodes share. */
  now(): Date
  /** Encrypts secrets at rest. */
  readonly keys: Sealer
  /** Signs tokens. */
  readonly signer: Signer
  /** Change notifications from all nodes. */
  readonly changes: ChangeFeed
  /** A cache that changes on any node invalidate. */
  readonly cache: Cache
  /** A separate cache for licenses, so that they do not evict other entries. */
  readonly licenseCache: Cache
  /** Looks up the location of an IP address. */
  readonly locate: Locate
  readonly log: Logger
  readonly metrics: Metrics
  readonly tracer: Tracer
  /** The IPC channel to the primary; undefined in a single process. */
  readonly primary: IpcChannel | undefined
  /** Set by tests: an error code that a route does not declare, or an invalid audit entry, then fails the request. */
  readonly strict: boolean
  /** The state of this process for the health routes. */
  readonly state: { draining: boolean }
}
