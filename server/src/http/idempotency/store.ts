import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { isConnected } from '../../db/processes.ts'

export interface Claim {
  caller: string
  key: string
}

export interface StoredResponse {
  fingerprint: Buffer
  /** Null while the first request is running. */
  status: number | null
  sealed_body: Buffer | null
}

interface ClaimRequest extends Claim {
  /** The first is stored; the others were computed with older encryption keys. */
  fingerprints: [Buffer, ...Buffer[]]
  at: Date
  /** Stored responses up to this time may be replaced. */
  responsesExpireBefore: Date
  /** The number of the claiming process. */
  holder: number | undefined
  /** Claims without a response up to this time may be replaced. */
  claimsExpireBefore: Date
  /** Claims up to this time may be replaced if their process is no longer connected. */
  lostClaimsExpireBefore: Date
}

const isHolderDisconnected = sql<boolean>`
  idempotency_keys.holder is not null and not ${isConnected(sql.ref('idempotency_keys.holder'))}`

/** Claims the key for one request; false if it is claimed already. Of several concurrent requests one succeeds. */
export async function claimKey(db: Db, request: ClaimRequest): Promise<boolean> {
  const { caller, key, fingerprints, at: created_at } = request
  const [fingerprint] = fingerprints
  const holder = request.holder ?? null
  const claimed = await db
    .insertInto('idempotency_keys')
    .values({ caller, key, fingerprint, status: null, sealed_body: null, created_at, holder })
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'key'])
        .doUpdateSet({ fingerprint, status: null, sealed_body: null, created_at, holder })
        .where(({ eb, or, and }) =>
          or([
            eb('idempotency_keys.created_at', '<=', request.responsesExpireBefore),
            and([
              eb('idempotency_keys.status', 'is', null),
              eb('idempotency_keys.fingerprint', 'in', fingerprints),
              or([
                eb('idempotency_keys.created_at', '<=', request.claimsExpireBefore),
                and([eb('idempotency_keys.created_at', '<=', request.lostClaimsExpireBefore), isHolderDisconnected]),
              ]),
            ]),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

export const findStoredResponse = (db: Db, { caller, key }: Claim): Promise<StoredResponse | undefined> =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'sealed_body'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .executeTakeFirst()

/** Stores the response, unless the claim has been replaced by a later one. */
export async function storeResponse(
  db: Db,
  { caller, key, at }: Claim & { at: Date },
  { status, sealedBody }: { status: number; sealedBody: Buffer },
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ status, sealed_body: sealedBody })
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('created_at', '=', at)
    .execute()
}

export async function releaseKey(db: Db, { caller, key, at }: Claim & { at: Date }): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('caller', '=', caller)
    .where('key', '=', key)
    .where('created_at', '=', at)
    .where('status', 'is', null)
    .execute()
}

export async function deleteKeys(db: Db, createdBefore: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<=', createdBefore).execute()
}
