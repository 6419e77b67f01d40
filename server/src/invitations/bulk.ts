import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { inSavepoint } from '../db/savepoint.ts'
import { AppError } from '../errors.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import { REACH } from '../tenants/permissions.ts'
import { type BulkInviteReply, type BulkRow, type InviteRequest, LONGEST_DAYS } from './schema.ts'
import { type Inviting, invite, letterheadOf } from './service.ts'

type Result = BulkInviteReply['results'][number]

/** Invites many at once. Each row is as if it had come alone: one that fails holds up no other. */
export async function inviteMany(
  ctx: Ctx,
  tx: Tx,
  inviting: Inviting,
  rows: BulkRow[],
): Promise<BulkInviteReply> {
  const results: Result[] = new Array(rows.length)
  // In the order of the addresses, so that two who invite the same people do not wait for each other in a circle.
  const inOrder = rows.map((row, index) => ({ row, index })).sort(byAddress)
  const letterhead = await letterheadOf(tx, inviting.caller)
  for (const { row, index } of inOrder) {
    results[index] = await inviteOne(ctx, tx, { ...inviting, letterhead }, row)
  }
  const created = results.filter(({ invitation }) => invitation !== undefined).length
  return { created, failed: results.length - created, results }
}

const addressOf = ({ row: { email } }: { row: BulkRow }) => String(email).trim().toLowerCase()
const byAddress = (a: { row: BulkRow }, b: { row: BulkRow }) => (addressOf(a) < addressOf(b) ? -1 : 1)

async function inviteOne(ctx: Ctx, tx: Tx, inviting: Inviting, row: BulkRow): Promise<Result> {
  try {
    const invitation = await inSavepoint(tx, () => invite(ctx, tx, inviting, readRow(row)))
    return { email: row.email, statusCode: 201, invitation }
  } catch (error) {
    // What is not this row's own fault is nobody's result.
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const { status, code, message, details } = error
    return { email: row.email, statusCode: status, error: code, message, ...(details && { details }) }
  }
}

const ROLES: unknown[] = Object.keys(REACH)

const isText = (value: unknown) => value === undefined || typeof value === 'string'

function readRow({ email, role, expiresInDays: days, ...seat }: BulkRow): InviteRequest {
  const fits =
    days === undefined || (Number.isInteger(days) && Number(days) >= 1 && Number(days) <= LONGEST_DAYS)
  refuseProblems([
    demand(typeof email === 'string', 'email', 'must be string'),
    demand(role === undefined || ROLES.includes(role), 'role', `must be ${ROLES.join(', ')}`),
    demand(isText(seat.applicationId), 'applicationId', 'must be string'),
    demand(isText(seat.licenseTypeId), 'licenseTypeId', 'must be string'),
    demand(fits, 'expiresInDays', `must be a whole number from 1 to ${LONGEST_DAYS}`),
  ])
  return { email, role, expiresInDays: days, ...seat } as InviteRequest
}
