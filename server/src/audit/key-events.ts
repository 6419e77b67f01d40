import type { Ctx } from '../context.ts'
import type { OnKeyEvent } from '../keys/signing-keys.ts'
import { type Action, type AuditSource, recordAuditEvent } from './record.ts'

const ACTIONS = {
  created: 'signing_key.created',
  brought_forward: 'signing_key.brought_forward',
  withdrawn: 'signing_key.withdrawn',
} as const satisfies Record<string, Action>

/** Records each change of a signing key. */
export const auditKeyEvents =
  (ctx: Ctx, source: AuditSource): OnKeyEvent =>
  (tx, { event, ...details }) =>
    recordAuditEvent(ctx, tx, { action: ACTIONS[event], ...source, details })
