import type { ActionDefinition } from './catalog/definition.ts'
import { instanceActions } from './catalog/instance.ts'
import { licensingActions } from './catalog/licensing.ts'
import { sessionActions } from './catalog/sessions.ts'
import { tenantActions } from './catalog/tenants.ts'
import { userActions } from './catalog/users.ts'

/** Delivered to other systems by webhooks and the event feed. */
const EVENTS = { ...userActions, ...sessionActions, ...tenantActions, ...licensingActions }

/** Everything that the audit log records. */
const DEFINITIONS = { ...EVENTS, ...instanceActions }

export type EventType = keyof typeof EVENTS
export type Action = keyof typeof DEFINITIONS

export const ACTIONS = Object.keys(DEFINITIONS) as Action[]
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[]
export const getActionDefinition = (action: Action): ActionDefinition => DEFINITIONS[action]
