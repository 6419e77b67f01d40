import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { yielding } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { demand, refuseNothing, refuseProblems } from '../../lib/problems.ts'
import { contest } from '../../sessions/contest.ts'
import { voidLinks } from '../../sessions/mailed-links.ts'
import { lockTenantsOf } from '../../tenants/ownership.ts'
import { tellDisabled } from '../../users/alteration.ts'
import { noteChange } from '../../users/operated.ts'
import { changeUser, type User, type UserChange } from '../../users/service.ts'
import { hasOtherWayIn } from '../way-in.ts'
import { type By, lockSubject, nameCaller, readUserId, refuseOwn, sourceOf } from './by.ts'
import { readNames } from './names.ts'
import type { UserChangeBody } from './schema.ts'

/** What may be changed about somebody, and where it is kept. */
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
 * Changes an account. Who is disabled is signed out everywhere, at this moment and on every node, and their seats rest;
 * who is enabled again has them back if they are free.
 */
export async function changeAccount(ctx: Ctx, text: string, body: UserChangeBody, by: By): Promise<void> {
  const id = readUserId(text)
  refuseNothing(body)
  const wishes = { ...body, ...readNames(body) }
  if (wishes.disabled) refuseOwn(by, id)
  await yielding(() =>
    ctx.db.transaction().execute(async (tx) => {
      // Their seats are parked with them, and whoever changes seats holds the tenant first.
      if (wishes.disabled !== undefined) await lockTenantsOf(tx, id)
      const user = await lockSubject(tx, id)
      await fulfil(ctx, tx, { user, wishes, by })
    }),
  )
  await ctx.changes.settle()
}

type Wishes = { [F in Field]?: User[(typeof COLUMNS)[F]] | undefined }

async function fulfil(
  ctx: Ctx,
  tx: Tx,
  { user, wishes, by }: { user: User; wishes: Wishes; by: By },
): Promise<void> {
  const changed = FIELDS.filter(
    (field) => wishes[field] !== undefined && wishes[field] !== user[COLUMNS[field]],
  )
  if (changed.length === 0) return
  const change: UserChange = Object.fromEntries(changed.map((field) => [COLUMNS[field], wishes[field]]))
  refuseMisfits(user, change)
  if (change.password_sign_in === false) await requireOtherWayIn(ctx, tx, user)
  await nameCaller(tx, by)
  const { email_verified: proven } = change
  await changeUser(ctx, tx, user, { ...change, ...(proven && { contested: false }) })
  // The administrator doubts that the address is theirs, and somebody else may claim it.
  if (proven === false) await contest(ctx, tx, { id: user.id, passwordHash: user.password_hash })
  // Somebody else who claims the address could take the account over through theirs.
  if (proven) await voidLinks(tx, { userId: user.id, purpose: 'verify-email' })
  await noteChange(ctx, tx, { user, change, source: sourceOf(by) })
  if (change.disabled !== undefined)
    await tellDisabled(ctx, tx, { user, disabled: change.disabled, source: sourceOf(by) })
}

/** What an account must not become. One that is so already may still be changed in other ways. */
function refuseMisfits(user: User, change: UserChange): void {
  const { is_super_admin, email_verified } = { ...user, ...change }
  const isAsked = change.is_super_admin !== undefined || change.email_verified !== undefined
  refuseProblems([
    // Without a password and a proven address one would be taken for somebody who was only invited.
    demand(
      change.email_verified !== false || user.password_hash !== null,
      'emailVerified',
      'can be false only for an account with a password',
    ),
    // Anybody can sign up with the address of somebody who is to be trusted with the instance.
    demand(!isAsked || !is_super_admin || email_verified, 'superAdmin', 'needs a confirmed address'),
  ])
}

/** Whom no password lets in must have a passkey, or an account elsewhere. */
async function requireOtherWayIn(ctx: Ctx, tx: Tx, { id }: User): Promise<void> {
  if (await hasOtherWayIn(ctx, tx, id)) return
  const message = 'This person can sign in only with a password, so it must stay possible.'
  throw new AppError('LAST_LOGIN_METHOD', { message })
}
