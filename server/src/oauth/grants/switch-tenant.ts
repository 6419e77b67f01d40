import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import type { OAuthError } from '../../errors.ts'
import { invalidGrant, isConsented } from '../grant-subject.ts'
import { findConsent, listActiveMemberships } from '../store.ts'
import { deleteGrant, type TokenRow } from './store.ts'

/** The grant switched to another tenant, of which the user must be an active member. */
export async function switchTenant(ctx: Ctx, client: Client, tokenRow: TokenRow, slug: string): Promise<TokenRow> {
  const memberships = await listActiveMemberships(ctx.db, tokenRow.user_id)
  const membership = memberships.find((candidate) => candidate.slug === slug)
  if (!membership) throw notInTenant(client)
  const { id, role, mfa_policy, suspended_at: tenant_suspended_at } = membership
  const switchedRow = { ...tokenRow, tenant_id: id, tenant_slug: slug, role, mfa_policy, tenant_suspended_at }
  if (client.trusted || id === tokenRow.tenant_id) return switchedRow
  const consentedRow = await withConsent(ctx, client, switchedRow)
  if (!isConsented(client, consentedRow)) throw notInTenant(client)
  return consentedRow
}

/** With the consent for the tenant of the row. */
async function withConsent(ctx: Ctx, { applicationId }: Client, tokenRow: TokenRow): Promise<TokenRow> {
  const { user_id: userId, tenant_id } = tokenRow
  const consent = await findConsent(ctx.db, { userId, applicationId, tenantId: tenant_id ?? undefined })
  return { ...tokenRow, consented_scopes: consent?.scopes ?? null }
}

/** A third-party application must not learn of which tenants the user is a member without consent there. */
const notInTenant = ({ trusted }: Client): OAuthError =>
  invalidGrant(
    trusted
      ? 'The user is not an active member of that tenant.'
      : 'The user is not an active member of that tenant or has not consented in it.',
  )

/** Ends the grant if the user has withdrawn the consent for the new tenant while the grant switched to it. */
export async function requireConsentAfterSwitch(
  ctx: Ctx,
  client: Client,
  { tokenRow, switchedRow }: { tokenRow: TokenRow; switchedRow: TokenRow },
): Promise<void> {
  const { id, tenant_id } = switchedRow
  if (client.trusted || tenant_id === null || tenant_id === tokenRow.tenant_id) return
  if (isConsented(client, await withConsent(ctx, client, switchedRow))) return
  await deleteGrant(ctx.db, id)
  throw notInTenant(client)
}
