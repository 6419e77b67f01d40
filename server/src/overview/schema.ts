import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Integer({ description })

const SignIns = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'By UTC' }),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
  },
  { title: 'DailySignIns' },
)

const Health = Type.Object(
  {
    database: Type.Literal('ok', { description: 'Always ok: without the database the request fails' }),
    mailWaiting: count('Mail that is not sent yet; counted to ten thousand'),
    jobsWaiting: count('Jobs in the queue; counted to ten thousand'),
    webhooksWaiting: count('Events that are not delivered to their webhook yet; counted to ten thousand'),
    webhooksDisabled: Type.Integer(),
    auditBehind: count('Audit entries that are not in the hash chain yet; counted to ten thousand'),
    signingKey: Type.Union([Type.Object({ kid: Type.String(), ageDays: Type.Integer() }), Type.Null()], {
      description: 'The key that currently signs tokens',
    }),
  },
  { title: 'InstanceHealth' },
)

/** The defaults for applications, under the names of the fields of an application. */
const Lifetimes = Type.Object(
  {
    accessTokenTtl: Type.Integer(),
    idTokenTtl: Type.Integer(),
    refreshTokenIdleTtl: Type.Integer(),
    refreshTokenTtl: Type.Integer(),
  },
  { description: 'In seconds, for applications without their own values' },
)

export const Overview = Type.Object(
  {
    version: Type.String(),
    tokenLifetimes: Lifetimes,
    users: Type.Object({
      total: count('Accounts'),
      disabled: Type.Integer(),
      deletionRequested: Type.Integer(),
    }),
    tenants: Type.Object({ total: Type.Integer(), suspended: Type.Integer() }),
    applications: Type.Integer(),
    clients: Type.Integer(),
    sessions: count('Sessions that have not been deleted yet; from ten thousand on, an estimate'),
    signIns: Type.Array(SignIns, {
      description: 'The last 14 days, oldest first; at most ten thousand are counted per day',
    }),
    seats: Type.Object(
      { purchased: Type.Integer(), assigned: Type.Integer() },
      { description: 'Of the subscriptions that grant licenses' },
    ),
    health: Health,
  },
  { title: 'InstanceOverview' },
)
export type Overview = Static<typeof Overview>
