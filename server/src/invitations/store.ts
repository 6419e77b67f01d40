import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { InvitationStatus, InvitationsTable } from '../db/tables.ts'

export type Invitation = Selectable<InvitationsTable>

/** Undefined when the address has an open invitation. */
export const insertInvitation = (tx: Tx, invitation: Insertable<InvitationsTable>): Promise<Invitation | undefined> =>
  tx
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) =>
      // A literal: with a parameter, PostgreSQL cannot infer the partial unique index.
      conflict.columns(['tenant_id', 'email']).where('status', '=', sql.lit('PENDING')).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()

/** Stores the license type of the seat that is reserved for the invitation. */
export async function setLicenseType(tx: Tx, id: string, licenseTypeId: string): Promise<void> {
  await tx.updateTable('invitations').set({ license_type_id: licenseTypeId }).where('id', '=', id).execute()
}

const selectByStatus = (db: Db, { tenantId, status, now }: { tenantId: string; status: InvitationStatus; now: Date }) =>
  db
    .selectFrom('invitations')
    .where('invitations.tenant_id', '=', tenantId)
    .where((where) => {
      if (status === 'PENDING') {
        return where.and([where('status', '=', 'PENDING'), where('expires_at', '>', now)])
      }
      const overdue = where.and([where('status', '=', 'PENDING'), where('expires_at', '<=', now)])
      return status === 'EXPIRED' ? where.or([where('status', '=', status), overdue]) : where('status', '=', status)
    })

/** The invitations with this status at `now`, newest first, with their senders. */
export const listInvitations = (
  db: Db,
  filter: { tenantId: string; status: InvitationStatus; now: Date },
  { offset, limit }: { offset: number; limit: number },
) =>
  selectByStatus(db, filter)
    .leftJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
    .select(['invitations.id', 'invitations.email', 'invitations.role'])
    .select(['invitations.created_at', 'invitations.expires_at', 'invitations.invited_by'])
    .select(['inviter.email as inviter_email', 'inviter.display_name'])
    .select(['inviter.given_name', 'inviter.family_name'])
    .orderBy('invitations.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()

export async function countInvitations(
  db: Db,
  filter: { tenantId: string; status: InvitationStatus; now: Date },
): Promise<number> {
  const { count } = await selectByStatus(db, filter)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findInvitation = (
  db: Db,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<Invitation | undefined> =>
  db.selectFrom('invitations').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()

/** The invitation with its tenant and its sender. */
export const findInvitationByToken = (db: Db, tokenHash: Buffer) =>
  db
    .selectFrom('invitations')
    .innerJoin('tenants', 'tenants.id', 'invitations.tenant_id')
    .leftJoin('users as inviter', 'inviter.id', 'invitations.invited_by')
    .selectAll('invitations')
    .select(['tenants.name as tenant_name', 'tenants.slug as tenant_slug'])
    .select('tenants.suspended_at as tenant_suspended_at')
    .select(['inviter.email as inviter_email', 'inviter.display_name'])
    .select(['inviter.given_name', 'inviter.family_name'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()

export type FoundInvitation = NonNullable<Awaited<ReturnType<typeof findInvitationByToken>>>

/**
 * Sets the final status of an open invitation. Of concurrent calls only one succeeds. Undefined when the invitation is
 * closed or overdue, or has another token by now.
 */
export const closeInvitation = (
  tx: Tx,
  { id, tokenHash, now, status }: { id: string; tokenHash?: Buffer; now: Date; status: InvitationStatus },
): Promise<Invitation | undefined> =>
  tx
    .updateTable('invitations')
    .set({ status })
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('expires_at', '>', now)
    .$if(tokenHash !== undefined, (query) => query.where('token_hash', '=', tokenHash as Buffer))
    .returningAll()
    .executeTakeFirst()

/** Gives an open invitation a new token and expiry; undefined when it is closed or overdue. */
export const renewInvitation = (
  tx: Tx,
  { id, tokenHash, now, expiresAt }: { id: string; tokenHash: Buffer; now: Date; expiresAt: Date },
): Promise<Invitation | undefined> =>
  tx
    .updateTable('invitations')
    .set({ token_hash: tokenHash, expires_at: expiresAt })
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()

/** Marks overdue invitations: only those of one address in one tenant, or of all tenants. */
export async function expireInvitations(
  tx: Tx,
  { now, only, limit }: { now: Date; only?: { tenantId: string; email: string }; limit: number },
): Promise<Invitation[]> {
  const overdue = tx
    .selectFrom('invitations')
    .select('id')
    .where('status', '=', 'PENDING')
    .where('expires_at', '<=', now)
    .$if(only !== undefined, (query) =>
      query.where('tenant_id', '=', only?.tenantId ?? '').where('email', '=', only?.email ?? ''),
    )
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return tx.updateTable('invitations').set({ status: 'EXPIRED' }).where('id', 'in', overdue).returningAll().execute()
}

/** Locks the tenant row, which also serializes changes of its members; undefined when the tenant does not exist. */
export async function lockTenant(tx: Tx, tenantId: string): Promise<{ suspended: boolean } | undefined> {
  const { rows } = await sql<{ suspended: boolean }>`
    select suspended_at is not null as suspended from tenants where id = ${tenantId} for no key update
  `.execute(tx)
  return rows[0]
}
