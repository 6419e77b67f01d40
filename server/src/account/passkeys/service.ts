import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { createLimiter } from '../../db/limiter.ts'
import type { Tx } from '../../db/open.ts'
import { AppError, tooManyAttempts } from '../../errors.ts'
import { readName } from '../../lib/profile-values.ts'
import { quoted } from '../../mail/quoted.ts'
import { renewSecret } from '../../sessions/browser-session.ts'
import { noteSecondFactor } from '../../sessions/second-factor.ts'
import { findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { makeRecoveryCodes } from '../../users/factors/recovery-codes.ts'
import { notify } from '../../users/notices.ts'
import {
  beginEnrolment,
  type NewPasskey,
  requireRoom,
  verifyEnrolment,
} from '../../users/passkeys/enrolment.ts'
import { dropPasskey, keepPasskey, type Passkey } from '../../users/passkeys/passkeys.ts'
import type { User } from '../../users/service.ts'
import {
  getSelf,
  lockSelf,
  type Managing,
  requireRecentSignIn,
  requireShownFactor,
  requireToAddFactor,
} from '../confirm-identity.ts'
import { hasOtherWayIn } from '../way-in.ts'
import { nameFor } from './name.ts'

const LONGEST_NAME = 100
/** Each leaves something behind for a while. */
const LIMIT = { name: 'passkey-enrol', most: 100, seconds: 15 * 60 }

/**
 * Begins to add a passkey. Only for a confirmed address: else whoever signed up with a stranger's could keep them
 * out for good.
 */
export async function beginPasskey(
  ctx: Ctx,
  asking: Managing,
  password?: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { caller } = asking
  const user = await getSelf(ctx, caller)
  if (!user.email_verified) throw new AppError('EMAIL_NOT_VERIFIED')
  await requireToAddFactor(ctx, asking, password)
  await requireShownFactor(ctx.db, caller)
  const wait = await createLimiter(ctx.db, LIMIT).count(user.id)
  if (wait !== undefined) throw tooManyAttempts(wait)
  return beginEnrolment(ctx, user)
}

export interface AddedPasskey {
  passkey: Passkey
  /** For who had no second factor before. */
  recoveryCodes: string[] | undefined
}

export async function addPasskey(
  ctx: Ctx,
  managing: Managing,
  { response, name }: { response: RegistrationResponseJSON; name: string | undefined },
): Promise<AddedPasskey> {
  const { caller, request } = managing
  const made = await verifyEnrolment(ctx, caller.userId, response)
  const chosen = name === undefined ? nameFor(request.headers['user-agent']) : requireName(name)
  const { added, giveCookie } = await ctx.db.transaction().execute(async (tx) => ({
    added: await add(ctx, tx, { managing, made, name: chosen }),
    giveCookie: await renewSecret(ctx, tx, managing),
  }))
  giveCookie()
  return added
}

function requireName(text: string): string {
  const name = readName(text, LONGEST_NAME)
  if (name !== undefined) return name
  throw new AppError('VALIDATION_FAILED', {
    details: [
      {
        field: 'name',
        message: `must be one line of 1 to ${LONGEST_NAME} characters that holds no web address`,
      },
    ],
  })
}

async function add(
  ctx: Ctx,
  tx: Tx,
  { managing, made, name }: { managing: Managing; made: NewPasskey; name: string },
): Promise<AddedPasskey> {
  const { caller, request } = managing
  // Of two that are added at once, one is the first, and the last there is room for.
  const user = await lockSelf(tx, caller)
  // Something else may have been set up since this was begun.
  await requireShownFactor(tx, caller)
  const before = await findFactors(tx, user.id)
  requireRoom(before.passkeys)
  const passkey = await keepPasskey(ctx, tx, { userId: user.id, name, made })
  const recoveryCodes = hasSecondFactor(before) ? undefined : await makeRecoveryCodes(tx, user.id)
  await noteSecondFactor(tx, caller.sessionId, ['pop', 'mfa'])
  await notify(ctx, tx, { to: user, kind: 'passkey-added', facts: [`Passkey: ${quoted(name)}`] })
  await record(ctx, tx, {
    ...{ action: 'user.passkey_added', actor: person(user.id), userId: user.id, request },
    details: { passkeyId: passkey.id, backedUp: passkey.backed_up },
    personal: { name },
  })
  return { passkey, recoveryCodes }
}

export async function removePasskey(
  ctx: Ctx,
  asking: Managing,
  { id, password }: { id: string; password: string | undefined },
): Promise<void> {
  const { caller, request } = asking
  await requireRecentSignIn(ctx, asking, password)
  await ctx.db.transaction().execute(async (tx) => {
    // Of two who remove a way in at once, the second sees what the first has left.
    const user = await lockSelf(tx, caller)
    await requireShownFactor(tx, caller)
    const { name } = await dropPasskey(tx, user.id, id)
    await requireWayIn(ctx, tx, user)
    await notify(ctx, tx, { to: user, kind: 'passkey-removed', facts: [`Passkey: ${quoted(name)}`] })
    await record(ctx, tx, {
      ...{ action: 'user.passkey_removed', actor: person(user.id), userId: user.id, request },
      details: { passkeyId: id },
      personal: { name },
    })
  })
  await ctx.changes.settle()
}

/** Whom no password lets in must keep a passkey, or an account elsewhere. */
async function requireWayIn(ctx: Ctx, tx: Tx, user: User): Promise<void> {
  if (user.password_sign_in || (await hasOtherWayIn(ctx, tx, user.id))) return
  throw new AppError('LAST_LOGIN_METHOD')
}
