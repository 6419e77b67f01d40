import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { findFactors } from '../users/factors/factors.ts'
import { queueNotice } from '../users/notices.ts'
import { lockUser, type User } from '../users/service.ts'
import type { Identity } from './identity.ts'
import { findProvider } from './providers.ts'
import { deleteLink, findLinkedUser, insertLink, listLinksOfUser, type StoredLink } from './store.ts'

/** A provider account that can sign in to a user's account. */
export interface Link {
  provider: string
  email: string | null
  displayName: string | null
  avatarUrl: string | null
  linkedAt: Date
  lastUsedAt: Date
}

export const listLinks = async (ctx: Ctx, userId: string): Promise<Link[]> =>
  (await listLinksOfUser(ctx.db, userId)).map(toLink)

const toLink = (link: StoredLink): Link => ({
  provider: link.provider,
  email: link.email,
  displayName: link.display_name,
  avatarUrl: link.avatar_url,
  linkedAt: link.linked_at,
  lastUsedAt: link.last_used_at,
})

/** The columns that are shown to the user. */
export const toDisplayColumns = ({ email, displayName, pictureUrl }: Identity) => ({
  email: email ?? null,
  display_name: displayName,
  avatar_url: pictureUrl,
})

interface NewLink {
  provider: SsoProvider
  identity: Identity
  user: User
  request: FastifyRequest
  /** No mail: the account was just created with this link. */
  silent?: boolean
}

/**
 * `again`: the user has this link already. `taken`: another user has it. `other`: the user has linked another account
 * of this provider.
 */
type Outcome = 'linked' | 'again' | 'taken' | 'other'

/** Links an identity to a user and notifies them. */
export async function addLink(ctx: Ctx, tx: Tx, { provider, identity, ...options }: NewLink): Promise<Outcome> {
  const { user, request, silent = false } = options
  const { issuer, subject } = identity
  const now = ctx.now()
  const link = { user_id: user.id, provider: provider.name, issuer, subject, ...toDisplayColumns(identity) }
  if (!(await insertLink(tx, { ...link, linked_at: now, last_used_at: now }))) {
    const holder = await findLinkedUser(tx, identity)
    if (!holder) return 'other'
    return holder.id === user.id ? 'again' : 'taken'
  }
  await recordAuditEvent(ctx, tx, {
    action: 'user.sso_linked',
    actor: userActor(user.id),
    userId: user.id,
    request,
    details: { provider: provider.name, issuer },
    personal: { email: link.email },
  })
  if (!silent) await notifyLinkChange(ctx, tx, { user, kind: 'sso-linked', label: provider.label, email: link.email })
  return 'linked'
}

/** Deletes a link and returns the label of the provider. The last sign-in method cannot be removed. */
export async function unlinkProvider(
  ctx: Ctx,
  { userId, provider, request }: { userId: string; provider: string; request: FastifyRequest },
): Promise<string> {
  const name = provider.toUpperCase()
  const label = findProvider(ctx, name)?.label ?? name
  await ctx.db.transaction().execute(async (tx) => {
    // The lock serializes concurrent unlinking, so that the second request sees the result of the first.
    const user = await lockUser(tx, userId)
    const links = await listLinksOfUser(tx, userId)
    const link = links.find((link) => link.provider === name)
    if (!user || !link) throw new AppError('SSO_LINK_NOT_FOUND')
    if (user.password_hash === null) throw new AppError('PASSWORD_REQUIRED')
    if (!user.password_sign_in && !(await hasOtherSignInMethod(ctx, tx, { userId, links, name }))) {
      throw new AppError('LAST_LOGIN_METHOD')
    }
    await deleteLink(tx, userId, name)
    await recordAuditEvent(ctx, tx, {
      action: 'user.sso_unlinked',
      actor: userActor(userId),
      userId,
      request,
      details: { provider: name },
      personal: { email: link.email },
    })
    await notifyLinkChange(ctx, tx, { user, kind: 'sso-unlinked', label, email: link.email })
  })
  return label
}

/** Whether a user has linked an account of this provider. */
export const hasLinkTo = async (tx: Tx, userId: string, provider: string): Promise<boolean> =>
  (await listLinksOfUser(tx, userId)).some((link) => link.provider === provider)

/** Whether a user has a link to a configured provider. */
export const hasUsableLink = async (ctx: Ctx, tx: Tx, userId: string): Promise<boolean> =>
  (await listLinksOfUser(tx, userId)).some(({ provider }) => findProvider(ctx, provider))

/** Whether the user has a passkey or another link to a configured provider. */
async function hasOtherSignInMethod(
  ctx: Ctx,
  tx: Tx,
  { userId, links, name }: { userId: string; links: StoredLink[]; name: string },
): Promise<boolean> {
  if (links.some(({ provider }) => provider !== name && findProvider(ctx, provider))) return true
  return (await findFactors(tx, userId)).passkeys > 0
}

interface LinkNotice {
  user: User
  kind: 'sso-linked' | 'sso-unlinked'
  label: string
  email: string | null
}

const notifyLinkChange = (ctx: Ctx, tx: Tx, { user, kind, label, email }: LinkNotice): Promise<void> =>
  queueNotice(ctx, tx, {
    to: user,
    kind,
    facts: [
      { label: 'provider', value: label },
      ...(email === null ? [] : [{ label: 'account', value: email } as const]),
    ],
  })
