import { findChanges } from '../../audit/changes.ts'
import { record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { isId, newId } from '../../lib/ids.ts'
import { refuseNothing, refuseProblems } from '../../lib/problems.ts'
import { findExtent } from '../feed/store.ts'
import { differsUnseen, shownUrl } from './redaction.ts'
import { webhookProblems } from './rules.ts'
import type { NewWebhook, WebhookChange } from './schema.ts'
import { newWebhookSecret, OVERLAP_MS, sealSecret } from './secrets.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockCursor,
  lockWebhook,
  type Owner,
  parkLanes,
  updateWebhook,
  type Webhook,
  wakeLanes,
} from './store.ts'

/** Webhooks: where events are sent, for a tenant or for the whole instance. */

const MOST_OF_TENANT = 20
const MOST_OF_INSTANCE = 100

/** For whom somebody works on webhooks, and in which transaction. */
export interface Desk {
  tx: Tx
  owner: Owner
  source: Source
}

/** Whose log it stands in, and who did it. */
export const entryOf = ({ owner, source }: Desk) => ({
  ...source,
  ...(owner !== null && { tenantId: owner }),
})

export async function createWebhook(
  ctx: Ctx,
  desk: Desk,
  draft: NewWebhook,
): Promise<{ webhook: Webhook; secret: string }> {
  const { tx, owner } = desk
  refuseProblems(webhookProblems(ctx, draft))
  // A tenant is held by whoever changes something in it.
  if (owner === null) await lockCursor(tx)
  const most = owner === null ? MOST_OF_INSTANCE : MOST_OF_TENANT
  if ((await countWebhooks(tx, owner)) >= most) throw new AppError('TOO_MANY_WEBHOOKS')
  const secret = newWebhookSecret()
  const now = ctx.now()
  const webhook = await insertWebhook(tx, {
    id: newId(),
    tenant_id: owner,
    url: new URL(draft.url).href,
    events: draft.events,
    description: draft.description ?? null,
    after_position: (await findExtent(tx)).head,
    sealed_secret: sealSecret(ctx, secret),
    ...disabling(draft.disabled ?? false, now),
    created_at: now,
    updated_at: now,
  })
  const details = { webhookId: webhook.id, after: shown(stateOf(webhook)) }
  await record(ctx, tx, { action: 'webhook.created', ...entryOf(desk), details })
  return { webhook, secret }
}

const disabling = (disabled: boolean, now: Date) =>
  disabled
    ? ({ disabled_at: now, disabled_reason: 'REQUESTED' } as const)
    : { disabled_at: null, disabled_reason: null }

const stateOf = ({ url, events, description, disabled_at }: Webhook) => ({
  url,
  events,
  description,
  disabled: disabled_at !== null,
})
type State = ReturnType<typeof stateOf>

/** As it may stand in the log. */
const shown = <S extends Partial<State>>(state: S): S =>
  state.url === undefined ? state : { ...state, url: shownUrl(state.url) }

export async function getWebhook({ tx, owner }: Desk, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await findWebhook(tx, owner, id) : undefined
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND')
  return webhook
}

export async function holdWebhook({ tx, owner }: Desk, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await lockWebhook(tx, owner, id) : undefined
  if (!webhook) throw new AppError('WEBHOOK_NOT_FOUND')
  return webhook
}

/** Changes a webhook. Once it is enabled again it goes on with what waits, and with what happens from then on. */
export async function changeWebhook(
  ctx: Ctx,
  desk: Desk,
  id: string,
  change: WebhookChange,
): Promise<Webhook> {
  const { tx } = desk
  const webhook = await holdWebhook(desk, id)
  refuseNothing(change)
  refuseProblems(webhookProblems(ctx, change))
  const before = stateOf(webhook)
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
  const switched = before.disabled !== after.disabled
  const changed = await updateWebhook(tx, webhook.id, {
    url: after.url,
    events: after.events,
    description: after.description,
    ...(switched && disabling(after.disabled, now)),
    ...(switched && !after.disabled && { after_position: (await findExtent(tx)).head }),
    updated_at: now,
  })
  if (switched) await (after.disabled ? parkLanes(tx, webhook.id) : wakeLanes(tx, webhook.id, now))
  const details = {
    webhookId: webhook.id,
    before: shown(changes.before),
    after: shown(changes.after),
    ...(differsUnseen(before.url, after.url) && { pathChanged: true }),
  }
  await record(ctx, tx, { action: 'webhook.changed', ...entryOf(desk), details })
  return changed
}

export async function removeWebhook(ctx: Ctx, desk: Desk, id: string): Promise<void> {
  const webhook = await holdWebhook(desk, id)
  await deleteWebhook(desk.tx, webhook.id)
  const details = { webhookId: webhook.id, before: shown(stateOf(webhook)) }
  await record(ctx, desk.tx, { action: 'webhook.deleted', ...entryOf(desk), details })
}

/** Gives a webhook a new secret; the one before signs as well for a day, and any before that not any more. */
export async function rotateSecret(
  ctx: Ctx,
  desk: Desk,
  id: string,
): Promise<{ secret: string; previousSecretUntil: Date }> {
  const webhook = await holdWebhook(desk, id)
  const secret = newWebhookSecret()
  const now = ctx.now()
  const previousSecretUntil = new Date(now.getTime() + OVERLAP_MS)
  await updateWebhook(desk.tx, webhook.id, {
    sealed_secret: sealSecret(ctx, secret),
    sealed_previous_secret: webhook.sealed_secret,
    previous_secret_until: previousSecretUntil,
    updated_at: now,
  })
  const details = { webhookId: webhook.id }
  await record(ctx, desk.tx, { action: 'webhook.secret_rotated', ...entryOf(desk), details })
  return { secret, previousSecretUntil }
}
