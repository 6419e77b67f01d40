import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { findFactors } from '../users/factors/factors.ts'
import { notify } from '../users/notices.ts'
import { lockUser, type User } from '../users/service.ts'
import type { Identity } from './identity.ts'
import { findProvider } from './providers.ts'
import { deleteLink, findLinkedUser, insertLink, listLinksOfUser, type StoredLink } from './store.ts'

/** An account elsewhere that opens a person's account here. */
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

/** What is kept of an identity for people to see. */
export const shownOf = ({ email, displayName, pictureUrl }: Identity) => ({
  email: email ?? null,
  display_name: displayName,
  avatar_url: pictureUrl,
})

interface NewLink {
  provider: SsoProvider
  identity: Identity
  user: User
  request: FastifyRequest
  /** They need no mail about it: the account has just been made with it. */
  silent?: boolean
}

/** `again`: it was theirs already. `taken`: somebody else's. `other`: they have another account of this provider. */
type Outcome = 'linked' | 'again' | 'taken' | 'other'

/** Links an identity to a person. They are told, so that nobody opens a way in behind their back. */
export async function addLink(ctx: Ctx, tx: Tx, { provider, identity, ...to }: NewLink): Promise<Outcome> {
  const { user, request, silent = false } = to
  const { issuer, subject } = identity
  const now = ctx.now()
  const link = { user_id: user.id, provider: provider.name, issuer, subject, ...shownOf(identity) }
  if (!(await insertLink(tx, { ...link, linked_at: now, last_used_at: now }))) {
    const holder = await findLinkedUser(tx, identity)
    if (!holder) return 'other'
    return holder.id === user.id ? 'again' : 'taken'
  }
  const entry = { action: 'user.sso_linked', actor: person(user.id), userId: user.id, request } as const
  const personal = { email: link.email }
  await record(ctx, tx, { ...entry, details: { provider: provider.name, issuer }, personal })
  if (!silent) await tell(ctx, tx, { user, kind: 'sso-linked', label: provider.label, email: link.email })
  return 'linked'
}

/** Removes a link; the answer is what people know the provider as. Nobody loses their last way in. */
export async function unlink(
  ctx: Ctx,
  { userId, provider, request }: { userId: string; provider: string; request: FastifyRequest },
): Promise<string> {
  const name = provider.toUpperCase()
  const label = findProvider(ctx, name)?.label ?? name
  await ctx.db.transaction().execute(async (tx) => {
    // Of two who unlink at once, the second sees what the first has left.
    const user = await lockUser(tx, userId)
    const links = await listLinksOfUser(tx, userId)
    const link = links.find((one) => one.provider === name)
    if (!user || !link) throw new AppError('SSO_LINK_NOT_FOUND')
    if (user.password_hash === null) throw new AppError('PASSWORD_REQUIRED')
    if (!user.password_sign_in && !(await hasOtherWay(ctx, tx, { userId, links, name }))) {
      throw new AppError('LAST_LOGIN_METHOD')
    }
    await deleteLink(tx, userId, name)
    const entry = { action: 'user.sso_unlinked', actor: person(userId), userId, request } as const
    await record(ctx, tx, { ...entry, details: { provider: name }, personal: { email: link.email } })
    await tell(ctx, tx, { user, kind: 'sso-unlinked', label, email: link.email })
  })
  return label
}

/** Whether a person has linked an account of this provider. */
export const hasLinkTo = async (tx: Tx, userId: string, provider: string): Promise<boolean> =>
  (await listLinksOfUser(tx, userId)).some((link) => link.provider === provider)

/** Whether a person can come in through a provider that is still here. */
export const hasUsableLink = async (ctx: Ctx, tx: Tx, userId: string): Promise<boolean> =>
  (await listLinksOfUser(tx, userId)).some(({ provider }) => findProvider(ctx, provider))

/** A passkey, or a link to a provider that is still here. */
async function hasOtherWay(
  ctx: Ctx,
  tx: Tx,
  { userId, links, name }: { userId: string; links: StoredLink[]; name: string },
): Promise<boolean> {
  if (links.some(({ provider }) => provider !== name && findProvider(ctx, provider))) return true
  return (await findFactors(tx, userId)).passkeys > 0
}

interface News {
  user: User
  kind: 'sso-linked' | 'sso-unlinked'
  label: string
  email: string | null
}

const tell = (ctx: Ctx, tx: Tx, { user, kind, label, email }: News): Promise<void> =>
  notify(ctx, tx, {
    to: user,
    kind,
    facts: [`Provider: ${label}`, ...(email === null ? [] : [`Account: ${email}`])],
  })
