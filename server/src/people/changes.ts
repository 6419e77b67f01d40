import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../lib/field-validation.ts'
import { markAddressContested } from '../sessions/contested-address.ts'
import { revokeLinks } from '../sessions/mailed-links.ts'
import { hasPasswordlessLogin } from '../sso/passwordless-login.ts'
import { lockTenantsOf } from '../tenants/ownership.ts'
import { recordUserChanged } from '../users/audit-events.ts'
import { recordDisabledChange } from '../users/operator-changes.ts'
import { changeUser, type User, type UserChange } from '../users/service.ts'
import {
  type AdminRequest,
  getLockedUser,
  parseUserId,
  refuseOwnAccount,
  setDatabaseActor,
  toAuditSource,
} from './admin-request.ts'
import { parseNames } from './names.ts'
import type { UserChangeBody } from './schema.ts'

/**
 * The fields that an administrator may change, with their columns. A right must also be in RIGHTS of
 * `users/audit-events.ts`, or its change is not recorded.
 */
const COLUMNS = {
  givenName: 'given_name',
  familyName: 'family_name',
  displayName: 'display_name',
  emailVerified: 'email_verified',
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
  disabled: 'disabled',
} as const
type Field = keyof typeof COLUMNS
const FIELDS = Object.keys(COLUMNS) as Field[]

/**
 * Changes an account. Disabling ends every session on every node and parks the seats; enabling assigns them again as far
 * as they are free.
 */
export async function changeAccount(
  ctx: Ctx,
  userId: string,
  body: UserChangeBody,
  adminRequest: AdminRequest,
): Promise<void> {
  const id = parseUserId(userId)
  requireAnyField(body)
  const input = { ...body, ...parseNames(body) }
  if (input.disabled) refuseOwnAccount(adminRequest, id)
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      // Seats change with `disabled`. Lock order: tenants before users, as everywhere that seats change.
      if (input.disabled !== undefined) await lockTenantsOf(tx, id)
      const user = await getLockedUser(tx, id)
      await applyChange(ctx, tx, { user, input, adminRequest })
    }),
  )
  await ctx.changes.waitUntilCurrent()
}

type ChangeInput = { [F in Field]?: User[(typeof COLUMNS)[F]] | undefined }

async function applyChange(
  ctx: Ctx,
  tx: Tx,
  { user, input, adminRequest }: { user: User; input: ChangeInput; adminRequest: AdminRequest },
): Promise<void> {
  const changed = FIELDS.filter((field) => input[field] !== undefined && input[field] !== user[COLUMNS[field]])
  if (changed.length === 0) return
  const change: UserChange = Object.fromEntries(changed.map((field) => [COLUMNS[field], input[field]]))
  requireConsistentAccount(user, change)
  if (change.password_sign_in === false) await requirePasswordlessLogin(ctx, tx, user)
  await setDatabaseActor(tx, adminRequest)
  const { email_verified: emailVerified } = change
  await changeUser(ctx, tx, user, { ...change, ...(emailVerified && { contested: false }) })
  // An unverified address may belong to somebody else, who can then claim it.
  if (emailVerified === false) {
    await markAddressContested(ctx, tx, { id: user.id, passwordHash: user.password_hash })
  }
  // An open verification link of another person who claims the address would take over the account.
  if (emailVerified) await revokeLinks(tx, { userId: user.id, purpose: 'verify-email' })
  const source = toAuditSource(adminRequest)
  await recordUserChanged(ctx, tx, { user, change, source })
  const { disabled } = change
  if (disabled !== undefined) await recordDisabledChange(ctx, tx, { user, disabled, source })
}

/** Checks only the fields that change, so that an account that breaks a rule already can be changed otherwise. */
function requireConsistentAccount(user: User, change: UserChange): void {
  const { is_super_admin, email_verified } = { ...user, ...change }
  const changesRights = change.is_super_admin !== undefined || change.email_verified !== undefined
  throwIfInvalid([
    // Without a password and a verified address, the row would be a placeholder account.
    checkField(
      change.email_verified !== false || user.password_hash !== null,
      'emailVerified',
      t('can be false only for an account with a password'),
    ),
    // Anybody can sign up with the address of a future Super Admin.
    checkField(!changesRights || !is_super_admin || email_verified, 'superAdmin', t('needs a confirmed address')),
  ])
}

async function requirePasswordlessLogin(ctx: Ctx, tx: Tx, { id }: User): Promise<void> {
  if (await hasPasswordlessLogin(ctx, tx, id)) return
  const message = t('This person can sign in only with a password, so it must stay possible.')
  throw new AppError('LAST_LOGIN_METHOD', { message })
}
