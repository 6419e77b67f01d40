import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { requireAnyField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, newId } from '../../lib/ids.ts'
import { findFeedBounds } from '../feed/store.ts'
import { hasHiddenChange, redactUrl } from './redaction.ts'
import { findWebhookProblems } from './rules.ts'
import type { CreateWebhookRequest, UpdateWebhookRequest } from './schema.ts'
import { newWebhookSecret, OVERLAP_MS, sealSecret } from './secrets.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockCursor,
  lockWebhook,
  type Owner,
  pausePartitions,
  resumePartitions,
  updateWebhook,
  type Webhook,
} from './store.ts'

const MAX_PER_TENANT = 20
const MAX_PER_INSTANCE = 100

/** The owner of the webhooks, the transaction, and the source for the audit log. */
export interface WebhookScope {
  tx: Tx
  owner: Owner
  source: AuditSource
}

/** The source and tenant of an audit event. */
export const toAuditScope = ({ owner, source }: WebhookScope) => ({
  ...source,
  ...(owner !== null && { tenantId: owner }),
})

export async function createWebhook(
  ctx: Ctx,
  scope: WebhookScope,
  draft: CreateWebhookRequest,
): Promise<{ webhook: Webhook; secret: string }> {
  const { tx, owner } = scope
  throwIfInvalid(findWebhookProblems(ctx, draft))
  // A change in a tenant already holds the lock of the tenant.
  if (owner === null) await lockCursor(tx)
  const limit = owner === null ? MAX_PER_INSTANCE : MAX_PER_TENANT
  if ((await countWebhooks(tx, owner)) >= limit) throw new AppError('TOO_MANY_WEBHOOKS')
  const secret = newWebhookSecret()
  const now = ctx.now()
  const webhook = await insertWebhook(tx, {
    id: newId(),
    tenant_id: owner,
    url: new URL(draft.url).href,
    events: draft.events,
    description: draft.description ?? null,
    after_position: (await findFeedBounds(tx)).head,
    sealed_secret: sealSecret(ctx, secret),
    ...toDisabledColumns(draft.disabled ?? false, now),
    created_at: now,
    updated_at: now,
  })
  const details = { webhookId: webhook.id, after: redact(toState(webhook)) }
  await recordAuditEvent(ctx, tx, { action: 'webhook.created', ...toAuditScope(scope), details })
  return { webhook, secret }
}

const toDisabledColumns = (disabled: boolean, now: Date) =>
  disabled
    ? ({ disabled_at: now, disabled_reason: 'REQUESTED' } as const)
    : { disabled_at: null, disabled_reason: null }

const toState = ({ url, events, description, disabled_at }: Webhook) => ({
  url,
  events,
  description,
  disabled: disabled_at !== null,
})
type State = ReturnType<typeof toState>

/** The state for the audit log, without the hidden part of the URL. */
const redact = <S extends Partial<State>>(state: S): S =>
  state.url === undefined ? state : { ...state, url: redactUrl(state.url) }

export async function getWebhook({ tx, owner }: WebhookScope, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await findWebhook(tx, owner, id) : undefined
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND')
  return webhook
}

export async function getLockedWebhook({ tx, owner }: WebhookScope, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await lockWebhook(tx, owner, id) : undefined
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND')
  return webhook
}

/** Changes a webhook. A webhook that is enabled again gets its pending deliveries and new events. */
export async function changeWebhook(
  ctx: Ctx,
  scope: WebhookScope,
  id: string,
  change: UpdateWebhookRequest,
): Promise<Webhook> {
  const { tx } = scope
  const webhook = await getLockedWebhook(scope, id)
  requireAnyField(change)
  throwIfInvalid(findWebhookProblems(ctx, change))
  const before = toState(webhook)
  const { url, events, description, disabled } = change
  const after: State = {
    url: url === undefined ? before.url : new URL(url).href,
    events: events ?? before.events,
    description: description === undefined ? before.description : description,
    disabled: disabled ?? before.disabled,
  }
  const changes = findChanges(before, after)
  if (!changes) return webhook
  const now = ctx.now()
  const isToggled = before.disabled !== after.disabled
  const changed = await updateWebhook(tx, webhook.id, {
    url: after.url,
    events: after.events,
    description: after.description,
    ...(isToggled && toDisabledColumns(after.disabled, now)),
    ...(isToggled && !after.disabled && { after_position: (await findFeedBounds(tx)).head }),
    updated_at: now,
  })
  if (isToggled) await (after.disabled ? pausePartitions(tx, webhook.id) : resumePartitions(tx, webhook.id, now))
  const details = {
    webhookId: webhook.id,
    before: redact(changes.before),
    after: redact(changes.after),
    ...(hasHiddenChange(before.url, after.url) && { pathChanged: true }),
  }
  await recordAuditEvent(ctx, tx, { action: 'webhook.changed', ...toAuditScope(scope), details })
  return changed
}

export async function removeWebhook(ctx: Ctx, scope: WebhookScope, id: string): Promise<void> {
  const webhook = await getLockedWebhook(scope, id)
  await deleteWebhook(scope.tx, webhook.id)
  const details = { webhookId: webhook.id, before: redact(toState(webhook)) }
  await recordAuditEvent(ctx, scope.tx, { action: 'webhook.deleted', ...toAuditScope(scope), details })
}

/** Rotates the secret. The previous secret signs as well for a day; older ones end immediately. */
export async function rotateSecret(
  ctx: Ctx,
  scope: WebhookScope,
  id: string,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const webhook = await getLockedWebhook(scope, id)
  const secret = newWebhookSecret()
  const now = ctx.now()
  const previousSecretUntil = new Date(now.getTime() + OVERLAP_MS)
  await updateWebhook(scope.tx, webhook.id, {
    sealed_secret: sealSecret(ctx, secret),
    sealed_previous_secret: webhook.sealed_secret,
    previous_secret_until: previousSecretUntil,
    updated_at: now,
  })
  const details = { webhookId: webhook.id }
  await recordAuditEvent(ctx, scope.tx, { action: 'webhook.secret_rotated', ...toAuditScope(scope), details })
  return { secret, previousSecretUntil }
}
