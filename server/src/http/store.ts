import type { Db } from '../db/open.ts'

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
  /** A claim from before, still without an answer, was left by a process that died. */
  abandonedBefore: Date
}

/** Takes the key for one request: a key that nobody holds, or whose holder is gone. Of several at once, one gets it. */
export async function claimKey(db: Db, request: ClaimRequest): Promise<boolean> {
  const { caller, key, fingerprints, at: created_at, forgottenBefore, abandonedBefore } = request
  const [fingerprint] = fingerprints
  const claimed = await db
    .insertInto('idempotency_keys')
    .values({ caller, key, fingerprint, status: null, sealed_body: null, created_at })
    .onConflict((conflict) =>
      conflict
        .columns(['caller', 'key'])
        .doUpdateSet({ fingerprint, status: null, sealed_body: null, created_at })
        .where(({ eb, or, and }) =>
          or([
            eb('idempotency_keys.created_at', '<=', forgottenBefore),
            and([
              eb('idempotency_keys.status', 'is', null),
              eb('idempotency_keys.created_at', '<=', abandonedBefore),
              eb('idempotency_keys.fingerprint', 'in', fingerprints),
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
