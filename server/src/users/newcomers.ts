import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { newId } from '../lib/ids.ts'
import { completePlaceholder } from './placeholders.ts'
import { findUser, insertUserIfNew, type User } from './store.ts'

/** Somebody who comes without a password. Their address, in canonical form, has been proven to be theirs. */
export interface Newcomer {
  email: string
  displayName: string | null
  givenName: string | null
  familyName: string | null
  pictureUrl: string | null
}

/** Makes the person, unless somebody has the address. Who was invited has it only for them. */
export async function addNewcomer(ctx: Ctx, tx: Tx, newcomer: Newcomer): Promise<User | undefined> {
  const now = ctx.now()
  const id = newId()
  const { email } = newcomer
  const known = {
    email_verified: true,
    display_name: newcomer.displayName,
    given_name: newcomer.givenName,
    family_name: newcomer.familyName,
    picture_url: newcomer.pictureUrl,
  }
  const common = { password_hash: null, is_super_admin: false, created_at: now, updated_at: now }
  const isNew = await insertUserIfNew(tx, { id, email, ...known, ...common })
  return isNew ? findUser(tx, id) : completePlaceholder(ctx, tx, email, known)
}
