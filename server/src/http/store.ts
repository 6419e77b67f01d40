import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { isConnected } from '../db/processes.ts'

/** Whose key, and which. */
export interface Claim {
  caller: string
  key: string
}

export interface KeptAnswer {
  fingerprint: Buffer
  /** Null while the first request is at work. */
  status: number | null
  sealed_body: Buffer | null
}

interface ClaimRequest extends Claim {
  /** The first is kept; the others are of the same request, under keys that were first before. */
  fingerprints: [Buffer, ...Buffer[]]
  at: Date
  /** An answer from before is forgotten. */
  forgottenBefore: Date
  /** The number of the process that claims it. */
  holder: number | undefined
  /** A claim from before, still without an answer, is given up. */
  abandonedBefore: Date
  /** So is one from before whose process is not connected any more. */
  lostBefore: Date
}

/** Who holds the claim is not connected. */
const hasLostHolder = sql<boolean>`
  idempotency_keys.holder is not null and not ${isConnected(sql.ref('idempotency_keys.holder'))}`

/** Takes the key for one request: a key that nobody holds, or whose holder is gone. Of several at once, one gets it. */
export async function claimKey(db: Db, request: ClaimRequest): Promise<boolean> {
  const { caller, key, fingerprints, at: created_at, forgottenBefore, abandonedBefore, lostBefore } = request
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
            eb('idempotency_keys.created_at', '<=', forgottenBefore),
            and([
              eb('idempotency_keys.status', 'is', null),
              eb('idempotency_keys.fingerprint', 'in', fingerprints),
              or([
                eb('idempotency_keys.created_at', '<=', abandonedBefore),
                and([eb('idempotency_keys.created_at', '<=', lostBefore), hasLostHolder]),
              ]),
            ]),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

export const findKeptAnswer = (db: Db, { caller, key }: Claim): Promise<KeptAnswer | undefined> =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status', 'sealed_body'])
    .where('caller', '=', caller)
    .where('key', '=', key)
    .executeTakeFirst()

/** Keeps the answer, unless somebody else has taken the claim of that moment over. */
export async function keepAnswer(
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

export async function deleteKeys(db: Db, madeBefore: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<=', madeBefore).execute()
}
