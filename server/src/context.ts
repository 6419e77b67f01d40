import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { ChangeFeed } from './db/changes.ts'
import type { Memory } from './db/memory.ts'
import type { Db } from './db/open.ts'
import type { Conversation } from './lib/conversation.ts'
import type { Figures } from './lib/figures.ts'
import type { Sealer } from './lib/seal.ts'
import type { Signer } from './lib/signer.ts'
import type { Tracer } from './lib/tracer.ts'
import type { PlaceOf } from './lib/whereabouts.ts'

/** What every part of the service works with, passed by hand. */
export interface Ctx {
  readonly config: Config
  readonly db: Db
  /** The time all nodes agree on. */
  now(): Date
  /** Seals what must be readable again. */
  readonly keys: Sealer
  /** Signs tokens. */
  readonly signer: Signer
  /** What is changed, on any node. */
  readonly changes: ChangeFeed
  /** What was read before and has not changed since. */
  readonly memory: Memory
  /** The same for licences, of which there may be many: they push nothing else out. */
  readonly licenses: Memory
  /** Where in the world an address is. */
  readonly placeOf: PlaceOf
  readonly log: Logger
  /** What is counted, for whoever runs the service. */
  readonly figures: Figures
  /** What takes how long. */
  readonly tracer: Tracer
  /** The way to the other processes that share this port; undefined where there are none. */
  readonly host: Conversation | undefined
  /** Set by tests: a route that throws a code it does not declare then fails instead of answering it. */
  readonly strict: boolean
  /** What this process is doing, for the health routes. */
  readonly state: { draining: boolean }
}
