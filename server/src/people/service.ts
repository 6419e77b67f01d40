import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { isId } from '../lib/ids.ts'
import { countUserSessions } from '../sessions/overview.ts'
import { listMembershipsOf } from '../tenants/service.ts'
import { toErasureDate } from '../users/deletion.ts'
import type { UserBody, UserDetails } from './schema.ts'
import { listUserRows, type UserRow } from './store.ts'

/**
 * The users of the instance as administrators see and change them: `/api/admin/users`. It is a slice above `users/`,
 * because a change also affects the sessions and the memberships of a user. Placeholder accounts are not included.
 */

export const userNotFound = () => new AppError('USER_NOT_FOUND')

export async function getUser(ctx: Ctx, id: string): Promise<UserDetails> {
  const [user] = isId(id) ? await listUserRows(ctx.db, [id]) : []
  if (!user) throw userNotFound()
  const [memberships, sessionCount] = await Promise.all([
    listMembershipsOf(ctx.db, user.id, ctx.now()),
    countUserSessions(ctx, ctx.db, user.id),
  ])
  return { ...toUserBody(user), memberships, sessionCount }
}

/** The users with these ids, in the order of the ids. */
export async function listUserRowsInOrder(db: Db, ids: string[]): Promise<UserRow[]> {
  if (ids.length === 0) return []
  const rowsById = new Map((await listUserRows(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rowsById.get(id) ?? [])
}

export const toUserBody = (row: UserRow): UserBody => ({
  id: row.id,
  email: row.email,
  emailVerified: row.email_verified,
  displayName: toDisplayName(row),
  givenName: row.given_name,
  familyName: row.family_name,
  superAdmin: row.is_super_admin,
  disabled: row.disabled,
  passwordSignIn: row.password_sign_in,
  hasPassword: Boolean(row.has_password),
  mfaEnabled: Boolean(row.mfa_enabled),
  deletionRequestedAt: row.deletion_requested_at?.toISOString() ?? null,
  erasedAt: row.deletion_requested_at && toErasureDate(row.deletion_requested_at).toISOString(),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
})
