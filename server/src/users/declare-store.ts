import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import type { User } from './store.ts'

const PAGE_SIZE = 1_000

/**
 * Streams the accounts in order of their address, without those scheduled for deletion and without placeholder accounts.
 * An unverified account exists only by its password, so it is of use only to an export with password hashes.
 */
export async function* streamUsers(
  db: Db,
  { includeUnverified }: { includeUnverified: boolean },
): AsyncGenerator<User> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('users')
      .selectAll()
      .where(sql<boolean>`email collate "C" > ${after}`)
      .where('deletion_requested_at', 'is', null)
      .where((where) =>
        includeUnverified
          ? where.or([where('email_verified', '=', true), where('password_hash', 'is not', null)])
          : where('email_verified', '=', true),
      )
      .orderBy(sql`email collate "C"`)
      .limit(PAGE_SIZE)
      .execute()
    yield* page
    const last = page.at(-1)
    if (page.length < PAGE_SIZE || !last) return
    after = last.email
  }
}
