import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'

/** A hundred years. */
const MAX_SECONDS = 3_155_760_000
const DAY_MS = 86_400_000

export const ClockRequest = Type.Object(
  {
    now: Type.Optional(Timestamp),
    advanceSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_SECONDS })),
    frozen: Type.Optional(Type.Boolean({ description: 'Whether the clock stands still' })),
  },
  { title: 'TestClockRequest' },
)
export type ClockRequest = Static<typeof ClockRequest>

export const ClockBody = Type.Object({ now: Timestamp, frozen: Type.Boolean() }, { title: 'TestClock' })

const PathPattern = Type.String({
  pattern: '^/[^*?#\\s]*\\*?$',
  maxLength: 200,
  description: 'A path such as /api/oauth/token, or the beginning of paths such as /api/*',
})

export const FaultRequest = Type.Object(
  {
    paths: Type.Optional(Type.Array(PathPattern, { minItems: 1, maxItems: 20 })),
    latencyMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
    status: Type.Optional(Type.Union([Type.Literal(429), Type.Literal(503)])),
    retryAfterSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    mail: Type.Optional(Type.Literal('lost')),
    webhooks: Type.Optional(Type.Object({ delayMs: Type.Integer({ minimum: 1, maximum: DAY_MS }) })),
  },
  { title: 'TestFaultRequest' },
)
export type FaultRequest = Static<typeof FaultRequest>

export const FaultList = Type.Object({ faults: Type.Array(FaultRequest) }, { title: 'TestFaults' })

export const ResetRequest = Type.Object(
  { seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })) },
  { title: 'TestResetRequest' },
)

export const ResetBody = Type.Object(
  {
    /** How long the reset took, for whoever wonders about the time of a test suite. */
    durationMs: Type.Integer(),
    seed: Type.Union([Type.Integer(), Type.Null()], { description: 'The seed of the ids; null: they are random' }),
  },
  { title: 'TestReset' },
)

/** Without `properties`, because the validator would drop the sections that it does not know. */
export const SeedRequest = Type.Unsafe<Record<string, unknown>>({ type: 'object', title: 'TestSeedRequest' })

const IdsByName = Type.Record(Type.String(), Type.String())

/** The ids of the declared objects, by section and by name. */
export const SeedBody = Type.Object(
  {
    users: IdsByName,
    tenants: IdsByName,
    applications: IdsByName,
    clients: IdsByName,
    licenseTypes: IdsByName,
    subscriptions: IdsByName,
  },
  { title: 'TestSeed' },
)
export type SeedBody = Static<typeof SeedBody>
