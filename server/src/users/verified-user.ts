import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { newId } from '../lib/ids.ts'
import { completePlaceholder } from './placeholders.ts'
import { findUser, insertUserIfNew, type User } from './store.ts'

/** A new user of a sign-in provider, without a password. The address is verified and in canonical form. */
export interface VerifiedUser {
  email: string
  displayName: string | null
  givenName: string | null
  familyName: string | null
  pictureUrl: string | null
  /** The language of the page. */
  locale: string | null
}

/** Creates the user, or completes a placeholder account; undefined when the address is taken. */
export async function createVerifiedUser(ctx: Ctx, tx: Tx, newUser: VerifiedUser): Promise<User | undefined> {
  const now = ctx.now()
  const id = newId()
  const { email } = newUser
  const columns = {
    email_verified: true,
    display_name: newUser.displayName,
    given_name: newUser.givenName,
    family_name: newUser.familyName,
    picture_url: newUser.pictureUrl,
    locale: newUser.locale,
  }
  const isNew = await insertUserIfNew(tx, {
    id,
    email,
    ...columns,
    password_hash: null,
    is_super_admin: false,
    created_at: now,
    updated_at: now,
  })
  return isNew ? findUser(tx, id) : completePlaceholder(ctx, tx, email, columns)
}
