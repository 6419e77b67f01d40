import type { FastifyRequest } from 'fastify'
import { listConsentsOf } from '../../applications/consents/service.ts'
import { listEntriesOfUser } from '../../audit/personal-data.ts'
import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { findFactors } from '../../users/factors/factors.ts'
import { getProfile } from '../profile/service.ts'
import type { AuditEntry, PersonalData } from './schema.ts'
import { listAllSessions, listPasskeys, listSeats, listSsoLinks } from './store.ts'

const MAX_ENTRIES = 10_000

/** All personal data of an account, for its owner. */
export async function exportPersonalData(
  ctx: Ctx,
  { userId, request }: { userId: string; request: FastifyRequest },
): Promise<PersonalData> {
  const { memberships, ...profile } = await getProfile(ctx, userId)
  const entries = await listEntriesOfUser(ctx.db, userId, MAX_ENTRIES + 1)
  const data = {
    exportedAt: ctx.now().toISOString(),
    profile,
    memberships,
    sessions: await readSessions(ctx, userId),
    ssoLinks: await readSsoLinks(ctx, userId),
    mfa: await readFactors(ctx, userId),
    consents: await readConsents(ctx, userId),
    licenses: await readLicenses(ctx, userId),
    auditEntries: entries.slice(0, MAX_ENTRIES).map((entry) => toOwnEntry(entry, userId)),
    auditEntriesTruncated: entries.length > MAX_ENTRIES,
  }
  await recordAuditEvent(ctx, ctx.db, {
    action: 'user.data_exported',
    actor: userActor(userId),
    userId,
    request,
  })
  return data
}

async function readSessions({ db }: Ctx, userId: string): Promise<PersonalData['sessions']> {
  const sessions = await listAllSessions(db, userId)
  return sessions.map((session) => ({
    id: session.id,
    userAgent: session.user_agent,
    ipAddress: session.ip_address,
    createdAt: session.created_at.toISOString(),
    lastActive: session.last_active_at.toISOString(),
    authenticatedAt: session.auth_time.toISOString(),
    methods: session.amr,
  }))
}

async function readSsoLinks({ db }: Ctx, userId: string): Promise<PersonalData['ssoLinks']> {
  const links = await listSsoLinks(db, userId)
  return links.map((link) => ({
    provider: link.provider,
    issuer: link.issuer,
    subject: link.subject,
    email: link.email,
    displayName: link.display_name,
    avatarUrl: link.avatar_url,
    linkedAt: link.linked_at.toISOString(),
    lastUsedAt: link.last_used_at.toISOString(),
  }))
}

async function readLicenses({ db }: Ctx, userId: string): Promise<PersonalData['licenses']> {
  const seats = await listSeats(db, userId)
  return seats.map(({ assigned_at, ...seat }) => ({ ...seat, assignedAt: assigned_at.toISOString() }))
}

async function readFactors({ db }: Ctx, userId: string): Promise<PersonalData['mfa']> {
  const { totp, recoveryCodes } = await findFactors(db, userId)
  const passkeys = await listPasskeys(db, userId)
  return {
    totp,
    passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({
      id,
      name,
      createdAt: created_at.toISOString(),
      lastUsedAt: last_used_at?.toISOString() ?? null,
    })),
    recoveryCodesLeft: recoveryCodes,
  }
}

async function readConsents(ctx: Ctx, userId: string): Promise<PersonalData['consents']> {
  const consents = await listConsentsOf(ctx, userId)
  return consents.map(({ applicationName, tenantName, scopes, grantedAt, lastUsedAt }) => ({
    application: applicationName,
    tenant: tenantName,
    scopes,
    grantedAt,
    lastUsedAt,
  }))
}

type Entry = Awaited<ReturnType<typeof listEntriesOfUser>>[number]

/** An entry may concern two people. The actor sees the origin of the request, the subject sees the personal data. */
function toOwnEntry(entry: Entry, userId: string): AuditEntry {
  const { ipAddress, userAgent, ...subjectData } = entry.personal
  const isActor = entry.actor_id === userId
  const origin = isActor && ipAddress !== undefined ? { ipAddress, userAgent } : {}
  return {
    id: entry.id,
    occurredAt: entry.occurred_at.toISOString(),
    action: entry.action,
    by: isActor ? 'you' : entry.actor_kind,
    tenantId: entry.tenant_id,
    details: entry.details,
    personal: { ...origin, ...(entry.is_about_them ? subjectData : {}) },
  }
}
