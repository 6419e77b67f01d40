import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { User } from '../store.ts'

const PAGE = 1_000

/**
 * The people who are here to stay, by address, some at a time. Whoever has not proven the address is here only by a
 * password, and placeholders of invitations are nobody.
 */
export async function* streamUsers(db: Db, { unproven }: { unproven: boolean }): AsyncGenerator<User> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('users')
      .selectAll()
      .where(sql<boolean>`email collate "C" > ${after}`)
      .where('deletion_requested_at', 'is', null)
      .where((where) =>
        unproven
          ? where.or([where('email_verified', '=', true), where('password_hash', 'is not', null)])
          : where('email_verified', '=', true),
      )
      .orderBy(sql`email collate "C"`)
      .limit(PAGE)
      .execute()
    yield* page
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = last.email
  }
}
