import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Integer({ description })

const SignIns = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'By UTC' }),
    succeeded: Type.Integer(),
    failed: Type.Integer(),
  },
  { title: 'DayOfSignIns' },
)

const Health = Type.Object(
  {
    database: Type.Literal('ok', { description: 'Without it there is no answer' }),
    mailWaiting: count('Mail that is not sent yet; counted to ten thousand'),
    jobsWaiting: count('Jobs in the queue; counted to ten thousand'),
    webhooksWaiting: count('Events that have not reached their webhook; counted to ten thousand'),
    webhooksDisabled: Type.Integer(),
    auditBehind: count('Entries of the log that are not in its chain yet; counted to ten thousand'),
    signingKey: Type.Union([Type.Object({ kid: Type.String(), ageDays: Type.Integer() }), Type.Null()], {
      description: 'The key that signs tokens now',
    }),
  },
  { title: 'InstanceHealth' },
)

/** What an application has that says nothing else; named as the application's own. */
const Lifetimes = Type.Object(
  {
    accessTokenTtl: Type.Integer(),
    idTokenTtl: Type.Integer(),
    refreshTokenIdleTtl: Type.Integer(),
    refreshTokenTtl: Type.Integer(),
  },
  { description: 'In seconds, for applications that have none of their own' },
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
    sessions: count('Sessions that have not been cleared away; from ten thousand on, an estimate'),
    signIns: Type.Array(SignIns, {
      description: 'Of the last 14 days, the oldest first; of each, up to ten thousand are counted',
    }),
    seats: Type.Object(
      { purchased: Type.Integer(), assigned: Type.Integer() },
      { description: 'Of the subscriptions that are good' },
    ),
    health: Health,
  },
  { title: 'InstanceOverview' },
)
export type Overview = Static<typeof Overview>
