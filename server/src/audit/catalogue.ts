import { instanceKinds } from './catalogue/instance.ts'
import type { Kind } from './catalogue/kind.ts'
import { licensingKinds } from './catalogue/licensing.ts'
import { sessionKinds } from './catalogue/sessions.ts'
import { tenantKinds } from './catalogue/tenants.ts'
import { userKinds } from './catalogue/users.ts'

/** Of these other systems are told: by webhooks, and by the feed. */
const EVENTS = { ...userKinds, ...sessionKinds, ...tenantKinds, ...licensingKinds }

/** Everything that is written down. */
const KINDS = { ...EVENTS, ...instanceKinds }

export type EventType = keyof typeof EVENTS
export type Action = keyof typeof KINDS

export const ACTIONS = Object.keys(KINDS) as Action[]
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
export const kindOf = (action: Action): Kind => KINDS[action]
