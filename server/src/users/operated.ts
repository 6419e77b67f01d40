import { findChanges } from '../audit/changes.ts'
import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { PROFILE_COLUMNS } from './profile-fields.ts'
import type { User, UserChange } from './store.ts'

/** What operators do to people, as the log tells it: what somebody is called stands apart, to be forgotten one day. */

/** What an operator decides about a person, beside how they are called. */
const RIGHTS = {
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
  emailVerified: 'email_verified',
} as const satisfies Record<string, keyof User>

/** What tells something of who somebody is. */
const NAMES = PROFILE_COLUMNS

type Known = Partial<User>

const pick = (columns: Record<string, keyof User>, user: Known) =>
  Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, user[column]]))

/** An operator has made an account. */
export async function noteCreation(
  ctx: Ctx,
  tx: Tx,
  user: Known & Pick<User, 'id' | 'email'>,
  source: Source,
): Promise<void> {
  const after = { ...pick(RIGHTS, user), hasPassword: user.password_hash !== null }
  await record(ctx, tx, {
    ...{ action: 'user.created', ...source, userId: user.id, details: { after } },
    personal: { email: user.email, ...pick(NAMES, user) },
  })
}

/** An operator changes an account. */
export async function noteChange(
  ctx: Ctx,
  tx: Tx,
  { user, change, source }: { user: User; change: UserChange; source: Source },
): Promise<void> {
  const then = { ...user, ...change }
  const rights = findChanges(pick(RIGHTS, user), pick(RIGHTS, then)) ?? { before: {}, after: {} }
  const names = findChanges(pick(NAMES, user), pick(NAMES, then)) ?? { before: {}, after: {} }
  const fields = Object.keys({ ...rights.after, ...names.after })
  if (fields.length === 0) return
  await record(ctx, tx, {
    ...{ action: 'user.changed', ...source, userId: user.id, details: { fields, ...rights } },
    personal: { email: user.email, ...names },
  })
}
