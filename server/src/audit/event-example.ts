import { SAMPLE } from './catalogue/kind.ts'
import { type EventType, kindOf } from './catalogue.ts'
import { type EventBody, toEventBody } from './event-body.ts'
import type { FeedEvent } from './feed.ts'

type About = Partial<Pick<FeedEvent, 'tenantId' | 'userId' | 'email'>>

const { tenant: tenantId, user: userId } = SAMPLE
const email = 'mia@acme.example'

/** What an event of each family is about. */
const ABOUT: Record<string, About> = {
  user: { userId },
  session: { userId },
  tenant: { tenantId },
  member: { tenantId, userId },
  invitation: { tenantId, userId, email },
  license: { tenantId, userId },
  subscription: { tenantId },
}

/** These name an address, by which an account elsewhere is known. */
const NAMED = ['user.sso_linked', 'user.sso_unlinked']

/** These the service does by itself … */
const BY_ITSELF: EventType[] = [
  ...(['user.registration_refused', 'user.password_reset_requested', 'user.erased'] as const),
  ...(['invitation.expired', 'subscription.lapsed'] as const),
]
/** … and these are done by others than the person whom they befall. */
const BY_OPERATORS: EventType[] = [
  ...(['user.created', 'user.imported', 'user.changed', 'user.disabled', 'user.enabled'] as const),
  ...(['user.password_reset_forced', 'user.mfa_reset', 'session.all_ended'] as const),
]

/** An event of this type as it may be, in the very form in which it is sent. */
export function exampleOf(type: EventType): EventBody {
  const [family = ''] = type.split('.')
  return toEventBody({
    position: 1042,
    id: SAMPLE.entry,
    type,
    occurredAt: new Date('2026-11-15T09:30:00.000Z'),
    tenantId: null,
    userId: null,
    email: NAMED.includes(type) ? email : null,
    ...ABOUT[family],
    actor: actorOf(type, family),
    details: kindOf(type).example ?? {},
  })
}

function actorOf(type: EventType, family: string): FeedEvent['actor'] {
  if (BY_ITSELF.includes(type)) return { kind: 'system', id: null }
  const isOwn = (family === 'user' || family === 'session') && !BY_OPERATORS.includes(type)
  return { kind: 'user', id: isOwn ? SAMPLE.user : SAMPLE.actor }
}
