import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { InvitationStatus, InvitationsTable } from '../db/tables.ts'

export type Invitation = Selectable<InvitationsTable>

/** Undefined when the address is invited already. */
export const insertInvitation = (
  tx: Tx,
  invitation: Insertable<InvitationsTable>,
): Promise<Invitation | undefined> =>
  tx
    .insertInto('invitations')
    .values(invitation)
    .onConflict((conflict) =>
      // Written out: a prepared statement does not know yet what it is given, and so not which index it is about.
      conflict.columns(['tenant_id', 'email']).where('status', '=', sql.lit('PENDING')).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()

/** Writes down which seat comes with an invitation. */
export async function promiseSeat(tx: Tx, id: string, licenseTypeId: string): Promise<void> {
  await tx.updateTable('invitations').set({ license_type_id: licenseTypeId }).where('id', '=', id).execute()
}

const inState = (
  db: Db,
  { tenantId, status, now }: { tenantId: string; status: InvitationStatus; now: Date },
) =>
  db
    .selectFrom('invitations')
    .where('invitations.tenant_id', '=', tenantId)
    .where((where) => {
      if (status === 'PENDING') {
        return where.and([where('status', '=', 'PENDING'), where('expires_at', '>', now)])
      }
      const overdue = where.and([where('status', '=', 'PENDING'), where('expires_at', '<=', now)])
      return status === 'EXPIRED'
        ? where.or([where('status', '=', status), overdue])
        : where('status', '=', status)
    })

/** Invitations as they stand at this moment, the newest first, with who has sent them. */
export const listInvitations = (
  db: Db,
  filter: { tenantId: string; status: InvitationStatus; now: Date },
  { offset, limit }: { offset: number; limit: number },
) =>
  inState(db, filter)
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
  const { count } = await inState(db, filter)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findInvitation = (
  db: Db,
  { tenantId, id }: { tenantId: string; id: string },
): Promise<Invitation | undefined> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

/** The invitation of a link, with its tenant and who has sent it. */
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
 * Settles an invitation that is open and not overdue: of several who try, one does. Undefined when it is settled by
 * now, or its link is not this one any more.
 */
export const settleInvitation = (
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

/** Gives an open invitation another link and more time; undefined when it is settled by now. */
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

/** Marks what is overdue: of one address in one tenant, or some of all. */
export async function expireInvitations(
  tx: Tx,
  { now, of, limit }: { now: Date; of?: { tenantId: string; email: string }; limit: number },
): Promise<Invitation[]> {
  const overdue = tx
    .selectFrom('invitations')
    .select('id')
    .where('status', '=', 'PENDING')
    .where('expires_at', '<=', now)
    .$if(of !== undefined, (query) =>
      query.where('tenant_id', '=', of?.tenantId ?? '').where('email', '=', of?.email ?? ''),
    )
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return tx
    .updateTable('invitations')
    .set({ status: 'EXPIRED' })
    .where('id', 'in', overdue)
    .returningAll()
    .execute()
}

/** The tenant stays until the transaction ends, and nobody else changes it or its members; undefined: it is not there. */
export async function holdTenant(tx: Tx, tenantId: string): Promise<{ suspended: boolean } | undefined> {
  const { rows } = await sql<{ suspended: boolean }>`
    select suspended_at is not null as suspended from tenants where id = ${tenantId} for no key update
  `.execute(tx)
  return rows[0]
}
