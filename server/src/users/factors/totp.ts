import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { confirmTotp, deleteTotp, findTotp, upsertConfirmedTotp, upsertUnconfirmedTotp, useTotpStep } from './store.ts'

export const TOTP_PURPOSE = 'totp'
const PERIOD_SECONDS = 30
/** Accepts one time step before and after the current one (RFC 6238 §5.2). */
const WINDOW = 1
const CODE = /^\d{6}$/

/** The secret for an authenticator app, as base32, as otpauth URL and as a QR code of that URL. */
export interface NewTotp {
  secret: string
  otpauthUrl: string
  qrCode: string
}

/** Starts the enrollment of an authenticator app. It takes effect after a code confirms it in the same session. */
export async function beginTotpEnrollment(
  ctx: Ctx,
  user: { id: string; email: string },
  sessionId: string,
): Promise<NewTotp> {
  const secret = new Secret({ size: 20 })
  const sealedSecret = ctx.keys.seal(TOTP_PURPOSE, secret.base32)
  const stored = await upsertUnconfirmedTotp(ctx.db, {
    userId: user.id,
    sessionId,
    sealedSecret,
    now: ctx.now(),
  })
  if (!stored) throw new AppError('MFA_ALREADY_ENROLLED')
  return toNewTotp(ctx, { secret, email: user.email })
}

interface UserSession {
  userId: string
  sessionId: string
}

/** The unconfirmed secret of this session. */
export async function findUnconfirmedTotp(
  ctx: Ctx,
  { userId, sessionId, email }: UserSession & { email: string },
): Promise<NewTotp | undefined> {
  const stored = await findTotp(ctx.db, userId)
  if (!stored || stored.confirmed_at !== null || !isPending(ctx, stored, sessionId)) return undefined
  return toNewTotp(ctx, { secret: unsealSecret(ctx, stored.sealed_secret), email })
}

const ENROLLMENT_MS = 60 * 60_000

/** Only the session that started the enrollment may see or confirm it, and only for a limited time. */
const isPending = (ctx: Ctx, stored: { session_id: string | null; created_at: Date }, sessionId: string): boolean =>
  stored.session_id === sessionId && ctx.now().getTime() < stored.created_at.getTime() + ENROLLMENT_MS

function toNewTotp(ctx: Ctx, { secret, email }: { secret: Secret; email: string }): NewTotp {
  const issuer = `Latchkey ${new URL(ctx.config.baseUrl).hostname}`
  const otpauthUrl = new TOTP({ issuer, label: email, secret, period: PERIOD_SECONDS }).toString()
  const svg = Buffer.from(renderSVG(otpauthUrl, { border: 2 })).toString('base64')
  return { secret: secret.base32, otpauthUrl, qrCode: `data:image/svg+xml;base64,${svg}` }
}

const unsealSecret = (ctx: Ctx, sealed: Buffer): Secret => Secret.fromBase32(ctx.keys.unseal(TOTP_PURPOSE, sealed))

/** The time step of a code; undefined when the code is not valid now. */
function findTimeStep(ctx: Ctx, sealed: Buffer, code: string): number | undefined {
  if (!CODE.test(code)) return undefined
  const timestamp = ctx.now().getTime()
  const totp = new TOTP({ secret: unsealSecret(ctx, sealed), period: PERIOD_SECONDS })
  const delta = totp.validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : TOTP.counter({ period: PERIOD_SECONDS, timestamp }) + delta
}

/** Completes the enrollment with the first code. */
export async function confirmTotpEnrollment(
  ctx: Ctx,
  tx: Tx,
  { userId, sessionId }: UserSession,
  code: string,
): Promise<void> {
  const stored = await findTotp(tx, userId)
  if (stored && stored.confirmed_at !== null) throw new AppError('MFA_ALREADY_ENROLLED')
  if (!stored || !isPending(ctx, stored, sessionId)) throw new AppError('MFA_NOT_ENROLLED')
  const { sealed_secret: sealedSecret } = stored
  const step = findTimeStep(ctx, sealedSecret, code)
  const confirmed = step !== undefined && (await confirmTotp(tx, { userId, sealedSecret, step, now: ctx.now() }))
  if (!confirmed) throw new AppError('INVALID_CODE')
}

const IMPORTED_SECRET = /^[A-Z2-7]{16,256}$/

/** The secret of another system in the notation of this one; undefined when it is not usable. */
export function parseTotpSecret(base32: string): string | undefined {
  const secret = base32.replace(/[\s=-]/g, '').toUpperCase()
  return IMPORTED_SECRET.test(secret) ? secret : undefined
}

/** Takes over authenticator apps that users set up in another system. The secrets are in base32. */
export async function importTotpSecrets(
  ctx: Ctx,
  tx: Tx,
  secrets: { userId: string; secret: string }[],
): Promise<void> {
  if (secrets.length === 0) return
  const sealed = secrets.map(({ userId, secret }) => ({ userId, sealedSecret: ctx.keys.seal(TOTP_PURPOSE, secret) }))
  await upsertConfirmedTotp(tx, sealed, ctx.now())
}

/** Consumes the code; false when it is wrong or was used before (RFC 6238 §5.2). */
export async function useTotp(ctx: Ctx, db: Db, userId: string, code: string): Promise<boolean> {
  const stored = await findTotp(db, userId)
  if (!stored || stored.confirmed_at === null) return false
  const step = findTimeStep(ctx, stored.sealed_secret, code)
  return step !== undefined && useTotpStep(db, { userId, step })
}

/** Returns whether there was an authenticator app. */
export const removeTotp = (tx: Tx, userId: string): Promise<boolean> => deleteTotp(tx, userId)
