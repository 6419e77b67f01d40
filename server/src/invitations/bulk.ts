import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { MANAGEABLE_ROLES } from '../tenants/permissions.ts'
import { type BulkInviteResponse, type BulkRow, type CreateInvitationRequest, MAX_EXPIRY_DAYS } from './schema.ts'
import { createInvitation, getSender, type Inviter } from './service.ts'

type Result = BulkInviteResponse['results'][number]

/** Creates several invitations. A row that fails does not affect the others. */
export async function createInvitations(
  ctx: Ctx,
  tx: Tx,
  inviter: Inviter,
  rows: BulkRow[],
): Promise<BulkInviteResponse> {
  const results: Result[] = new Array(rows.length)
  // Sorted by address, so that concurrent requests for the same people do not deadlock.
  const sorted = rows.map((row, index) => ({ row, index })).sort(compareByAddress)
  const sender = await getSender(tx, inviter.caller)
  for (const { row, index } of sorted) {
    results[index] = await inviteRow(ctx, tx, { ...inviter, sender }, row)
  }
  const created = results.filter(({ invitation }) => invitation !== undefined).length
  return { created, failed: results.length - created, results }
}

const addressOf = ({ row: { email } }: { row: BulkRow }) => String(email).trim().toLowerCase()
const compareByAddress = (a: { row: BulkRow }, b: { row: BulkRow }) => (addressOf(a) < addressOf(b) ? -1 : 1)

async function inviteRow(ctx: Ctx, tx: Tx, inviter: Inviter, row: BulkRow): Promise<Result> {
  const { email } = row
  try {
    const invitation = await inSavepoint(tx, () => createInvitation(ctx, tx, inviter, parseRow(row)))
    return { email, statusCode: 201, invitation }
  } catch (error) {
    // Server errors fail the whole request.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const { status, code, message, details } = error
    return { email, statusCode: status, error: code, message, ...(details && { details }) }
  }
}

const ROLES: unknown[] = Object.keys(MANAGEABLE_ROLES)

const isOptionalString = (value: unknown) => value === undefined || typeof value === 'string'

function parseRow({ email, role, expiresInDays: days, ...seat }: BulkRow): CreateInvitationRequest {
  const hasValidExpiry =
    days === undefined || (Number.isInteger(days) && Number(days) >= 1 && Number(days) <= MAX_EXPIRY_DAYS)
  throwIfInvalid([
    checkField(typeof email === 'string', 'email', t('must be string')),
    checkField(role === undefined || ROLES.includes(role), 'role', t('must be {roles}', { roles: ROLES.join(', ') })),
    checkField(isOptionalString(seat.applicationId), 'applicationId', t('must be string')),
    checkField(isOptionalString(seat.licenseTypeId), 'licenseTypeId', t('must be string')),
    checkField(hasValidExpiry, 'expiresInDays', t('must be a whole number from 1 to {max}', { max: MAX_EXPIRY_DAYS })),
  ])
  return { email, role, expiresInDays: days, ...seat } as CreateInvitationRequest
}
