import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { recordAuditEvent, userActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { countAgainstLimit } from '../../db/limiter.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { parsePersonName } from '../../lib/profile-values.ts'
import { rotateSessionSecret } from '../../sessions/browser-session.ts'
import { addSecondFactorToSession } from '../../sessions/second-factor.ts'
import { rememberPasskey } from '../../sessions/used-methods.ts'
import { hasPasswordlessLogin } from '../../sso/passwordless-login.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { createRecoveryCodes } from '../../users/factors/recovery-codes.ts'
import { queueNotice } from '../../users/notices.ts'
import {
  beginEnrollment,
  type NewPasskey,
  requirePasskeyLimit,
  verifyEnrollment,
} from '../../users/passkeys/enrollment.ts'
import { insertPasskey, type Passkey, removePasskeyOf } from '../../users/passkeys/passkeys.ts'
import type { User } from '../../users/service.ts'
import {
  getCurrentUser,
  lockCurrentUser,
  type PersonExchange,
  requireReauthenticationToAddFactor,
  requireRecentSignIn,
  requireSessionMfa,
} from '../confirm-identity.ts'
import { toDefaultName } from './name.ts'

const MAX_NAME_LENGTH = 100
/** Every enrollment stores a challenge until it is swept. */
const LIMIT = { name: 'passkey-enrol', max: 100, seconds: 15 * 60 }

/**
 * Starts the enrollment of a passkey. It needs a verified address: otherwise somebody who signed up with another person's
 * address could lock that person out with a second factor.
 */
export async function beginPasskey(
  ctx: Ctx,
  exchange: PersonExchange,
  password?: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { caller } = exchange
  const user = await getCurrentUser(ctx, caller)
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  await requireReauthenticationToAddFactor(ctx, exchange, password)
  await requireSessionMfa(ctx.db, caller)
  await countAgainstLimit(ctx.db, LIMIT, user.id)
  return beginEnrollment(ctx, user)
}

export interface AddedPasskey {
  passkey: Passkey
  /** Only with the first second factor. */
  recoveryCodes: string[] | undefined
}

export async function addPasskey(
  ctx: Ctx,
  exchange: PersonExchange,
  { response, name }: { response: RegistrationResponseJSON; name: string | undefined },
): Promise<AddedPasskey> {
  const { caller, request } = exchange
  const credential = await verifyEnrollment(ctx, caller.userId, response)
  const passkeyName = name === undefined ? toDefaultName(request.headers['user-agent']) : requireName(name)
  const { added, setCookie } = await ctx.db.transaction().execute(async (tx) => ({
    added: await storePasskey(ctx, tx, { exchange, credential, name: passkeyName }),
    setCookie: await rotateSessionSecret(ctx, tx, exchange),
  }))
  setCookie()
  rememberPasskey(ctx, exchange)
  return added
}

function requireName(text: string): string {
  const name = parsePersonName(text, MAX_NAME_LENGTH)
  if (name !== undefined) return name
  throw new AppError('VALIDATION_FAILED', {
    details: [
      {
        field: 'name',
        message: t('must be one line of 1 to {max} characters that holds no web address', { max: MAX_NAME_LENGTH }),
      },
    ],
  })
}

async function storePasskey(
  ctx: Ctx,
  tx: Tx,
  { exchange, credential, name }: { exchange: PersonExchange; credential: NewPasskey; name: string },
): Promise<AddedPasskey> {
  const { caller, request } = exchange
  // The lock makes concurrent enrollments see each other: for the maximum and for the first recovery codes.
  const user = await lockCurrentUser(tx, caller)
  // Another factor may have been added since the enrollment started.
  await requireSessionMfa(tx, caller)
  const before = await findFactors(tx, user.id)
  requirePasskeyLimit(before.passkeys)
  const passkey = await insertPasskey(ctx, tx, { userId: user.id, name, credential })
  const recoveryCodes = hasSecondFactor(before) ? undefined : await createRecoveryCodes(tx, user.id)
  await addSecondFactorToSession(tx, caller.sessionId, ['pop', 'mfa'])
  await queueNotice(ctx, tx, { to: user, kind: 'passkey-added', facts: [{ label: 'passkey', value: name }] })
  await recordAuditEvent(ctx, tx, {
    action: 'user.passkey_added',
    actor: userActor(user.id),
    userId: user.id,
    request,
    details: { passkeyId: passkey.id, backedUp: passkey.backed_up },
    personal: { name },
  })
  return { passkey, recoveryCodes }
}

export async function removePasskey(
  ctx: Ctx,
  exchange: PersonExchange,
  { id, password }: { id: string; password: string | undefined },
): Promise<void> {
  const { caller, request } = exchange
  await requireRecentSignIn(ctx, exchange, password)
  await ctx.db.transaction().execute(async (tx) => {
    // The lock keeps concurrent removals from removing the last login method.
    const user = await lockCurrentUser(tx, caller)
    await requireSessionMfa(tx, caller)
    const { name } = await removePasskeyOf(tx, user.id, id)
    await requireLoginMethod(ctx, tx, user)
    await queueNotice(ctx, tx, { to: user, kind: 'passkey-removed', facts: [{ label: 'passkey', value: name }] })
    await recordAuditEvent(ctx, tx, {
      action: 'user.passkey_removed',
      actor: userActor(user.id),
      userId: user.id,
      request,
      details: { passkeyId: id },
      personal: { name },
    })
  })
  await ctx.changes.waitUntilCurrent()
}

/** Without password sign-in, a passkey or a linked account must remain. */
async function requireLoginMethod(ctx: Ctx, tx: Tx, user: User): Promise<void> {
  if (user.password_sign_in || (await hasPasswordlessLogin(ctx, tx, user.id))) return
  throw new AppError('LAST_LOGIN_METHOD')
}
