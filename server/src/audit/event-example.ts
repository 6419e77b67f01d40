import { SAMPLE_IDS } from './catalog/definition.ts'
import { type EventType, getActionDefinition } from './catalog.ts'
import { type EventBody, toEventBody } from './event-body.ts'
import type { FeedEvent } from './feed.ts'

type Subject = Partial<Pick<FeedEvent, 'tenantId' | 'userId' | 'email'>>

const { tenant: tenantId, user: userId } = SAMPLE_IDS
const email = 'mia@acme.example'

/** The subject of the events of each family. */
const SUBJECTS: Record<string, Subject> = {
  user: { userId },
  session: { userId },
  tenant: { tenantId },
  member: { tenantId, userId },
  invitation: { tenantId, userId, email },
  license: { tenantId, userId },
  subscription: { tenantId },
}

/** Events that contain the address of the linked account. */
const WITH_EMAIL = ['user.sso_linked', 'user.sso_unlinked']

/** Events that the service causes itself. */
const BY_SYSTEM: EventType[] = [
  'user.registration_refused',
  'user.password_reset_requested',
  'user.sign_in_code_requested',
  'user.erased',
  'invitation.expired',
  'subscription.lapsed',
]
/** Events of a user that an operator causes. */
const BY_OPERATORS: EventType[] = [
  'user.created',
  'user.imported',
  'user.changed',
  'user.disabled',
  'user.enabled',
  'user.password_reset_forced',
  'user.mfa_reset',
  'session.all_ended',
]

/** An example event of this type, in the form in which it is sent. */
export function createExampleEvent(type: EventType): EventBody {
  const [family = ''] = type.split('.')
  return toEventBody({
    position: 1042,
    id: SAMPLE_IDS.entry,
    type,
    occurredAt: new Date('2026-11-15T09:30:00.000Z'),
    tenantId: null,
    userId: null,
    email: WITH_EMAIL.includes(type) ? email : null,
    ...SUBJECTS[family],
    actor: exampleActor(type, family),
    details: getActionDefinition(type).example ?? {},
  })
}

function exampleActor(type: EventType, family: string): FeedEvent['actor'] {
  if (BY_SYSTEM.includes(type)) return { kind: 'system', id: null }
  const isByUser = (family === 'user' || family === 'session') && !BY_OPERATORS.includes(type)
  return { kind: 'user', id: isByUser ? SAMPLE_IDS.user : SAMPLE_IDS.actor }
}
