import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { displayNameOf } from '../../lib/display-name.ts'
import { isId } from '../../lib/ids.ts'
import { countSessionsOf } from '../../sessions/overview.ts'
import { erasedAt } from '../../users/deletion.ts'
import { listMembershipsOf } from '../profile/store.ts'
import type { UserBody, UserDetails } from './schema.ts'
import { listByIds, type UserRow } from './store.ts'

/** People as whoever runs the instance sees them. Who was invited and has not come is none of them yet. */

export const noSuchUser = () => new AppError('USER_NOT_FOUND')

export async function getUser(ctx: Ctx, id: string): Promise<UserDetails> {
  const [user] = isId(id) ? await listByIds(ctx.db, [id]) : []
  if (!user) throw noSuchUser()
  const [memberships, sessionCount] = await Promise.all([
    listMembershipsOf(ctx.db, user.id, ctx.now()),
    countSessionsOf(ctx, ctx.db, user.id),
  ])
  return { ...showUser(user), memberships, sessionCount }
}

/** The people with these ids, in their order. */
export async function listShown(db: Db, ids: string[]): Promise<UserRow[]> {
  if (ids.length === 0) return []
  const known = new Map((await listByIds(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => known.get(id) ?? [])
}

export const showUser = (row: UserRow): UserBody => ({
  id: row.id,
  email: row.email,
  emailVerified: row.email_verified,
  displayName: displayNameOf(row),
  givenName: row.given_name,
  familyName: row.family_name,
  superAdmin: row.is_super_admin,
  disabled: row.disabled,
  passwordSignIn: row.password_sign_in,
  hasPassword: Boolean(row.has_password),
  mfaEnabled: Boolean(row.mfa_enabled),
  deletionRequestedAt: row.deletion_requested_at?.toISOString() ?? null,
  erasedAt: row.deletion_requested_at && erasedAt(row.deletion_requested_at).toISOString(),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
})
