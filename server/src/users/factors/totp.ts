import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { confirmTotp, deleteTotp, findTotp, putUnconfirmedTotp, useTotpStep } from './store.ts'

export const TOTP_PURPOSE = 'totp'
const PERIOD = 30
/** Clocks differ and people type slowly: the code before and the one after are good too (RFC 6238 §5.2). */
const WINDOW = 1
const CODE = /^\d{6}$/

/** What an authenticator app needs, as text, as an address and as a picture of that address. */
export interface NewTotp {
  secret: string
  otpauthUrl: string
  qrCode: string
}

/** Begins to set an authenticator app up, in one session. Nothing is asked for until a code has confirmed it there. */
export async function beginTotp(
  ctx: Ctx,
  user: { id: string; email: string },
  sessionId: string,
): Promise<NewTotp> {
  const secret = new Secret({ size: 20 })
  const sealedSecret = ctx.keys.seal(TOTP_PURPOSE, secret.base32)
  const fresh = { userId: user.id, sessionId, sealedSecret, now: ctx.now() }
  if (!(await putUnconfirmedTotp(ctx.db, fresh))) throw new AppError('MFA_ALREADY_ENROLLED')
  return describe(ctx, { secret, email: user.email })
}

/** Somebody, in one of their sessions. */
interface Somebody {
  userId: string
  sessionId: string
}

/** The one that waits in this session for its confirmation, to be shown again. */
export async function findUnconfirmedTotp(
  ctx: Ctx,
  { userId, sessionId, email }: Somebody & { email: string },
): Promise<NewTotp | undefined> {
  const kept = await findTotp(ctx.db, userId)
  if (!kept || kept.confirmed_at !== null || !isWaiting(ctx, kept, sessionId)) return undefined
  return describe(ctx, { secret: open(ctx, kept.sealed_secret), email })
}

const WAITS_MS = 60 * 60_000

/** Whoever else is signed in as the person may neither see nor confirm it, and neither may they much later. */
const isWaiting = (
  ctx: Ctx,
  kept: { session_id: string | null; created_at: Date },
  sessionId: string,
): boolean => kept.session_id === sessionId && ctx.now().getTime() < kept.created_at.getTime() + WAITS_MS

function describe(ctx: Ctx, { secret, email }: { secret: Secret; email: string }): NewTotp {
  const issuer = `Latchkey ${new URL(ctx.config.baseUrl).hostname}`
  const otpauthUrl = new TOTP({ issuer, label: email, secret, period: PERIOD }).toString()
  const picture = Buffer.from(renderSVG(otpauthUrl, { border: 2 })).toString('base64')
  return { secret: secret.base32, otpauthUrl, qrCode: `data:image/svg+xml;base64,${picture}` }
}

const open = (ctx: Ctx, sealed: Buffer): Secret => Secret.fromBase32(ctx.keys.unseal(TOTP_PURPOSE, sealed))

/** The time step a code belongs to, if it is one of now. */
function stepOf(ctx: Ctx, sealed: Buffer, code: string): number | undefined {
  if (!CODE.test(code)) return undefined
  const timestamp = ctx.now().getTime()
  const totp = new TOTP({ secret: open(ctx, sealed), period: PERIOD })
  const delta = totp.validate({ token: code, timestamp, window: WINDOW })
  return delta === null ? undefined : TOTP.counter({ period: PERIOD, timestamp }) + delta
}

/** Puts the app to use, now that it has shown its first code. */
export async function confirmNewTotp(
  ctx: Ctx,
  tx: Tx,
  { userId, sessionId }: Somebody,
  code: string,
): Promise<void> {
  const kept = await findTotp(tx, userId)
  if (kept && kept.confirmed_at !== null) throw new AppError('MFA_ALREADY_ENROLLED')
  if (!kept || !isWaiting(ctx, kept, sessionId)) throw new AppError('MFA_NOT_ENROLLED')
  const { sealed_secret: sealedSecret } = kept
  const step = stepOf(ctx, sealedSecret, code)
  const confirmed =
    step !== undefined && (await confirmTotp(tx, { userId, sealedSecret, step, now: ctx.now() }))
  if (!confirmed) throw new AppError('INVALID_CODE')
}

/** Whether this is a code of the person's app, never shown before (RFC 6238 §5.2). Uses it up. */
export async function useTotp(ctx: Ctx, db: Db, userId: string, code: string): Promise<boolean> {
  const kept = await findTotp(db, userId)
  if (!kept || kept.confirmed_at === null) return false
  const step = stepOf(ctx, kept.sealed_secret, code)
  return step !== undefined && useTotpStep(db, { userId, step })
}

/** Removes the app; says whether there was one. */
export const endTotp = (tx: Tx, userId: string): Promise<boolean> => deleteTotp(tx, userId)
