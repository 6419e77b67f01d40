import type { FastifyRequest } from 'fastify'
import { type Action, recordAuditEvent, toActor } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { actingError } from '../../http/routing/callers.ts'
import { describePage, type Range, toRange } from '../../http/routing/pagination.ts'
import { toDisplayName } from '../../lib/display-name.ts'
import { isId, toId } from '../../lib/ids.ts'
import { parseSearch } from '../../lib/search-words.ts'
import { lockUser } from '../../users/service.ts'
import { toVisibleUserId } from '../invited.ts'
import { requireAnotherOwner } from '../ownership.ts'
import { requireFactor, requireManageable, type TenantActor } from '../permissions.ts'
import { isDeepPage, listFromAnchor } from './page-anchors.ts'
import type { MemberBody, MemberPage, MemberQuery, UpdatedMember, UpdateMemberRequest } from './schema.ts'
import { searchMembers } from './search-store.ts'
import {
  countMembers,
  deleteMember,
  findMember,
  listMemberPage,
  listMembersByIds,
  lockMember,
  type MemberCounts,
  type MemberFilter,
  type MemberRow,
  type Membership,
  type PageRange,
  updateMember,
} from './store.ts'

/** The members of a tenant: list, change and remove. */

export async function getMemberPage(
  ctx: Ctx,
  tx: Tx,
  { tenantId, query }: { tenantId: string; query: MemberQuery },
): Promise<MemberPage> {
  const { status, role } = query
  const filter = { tenantId, status, role, now: ctx.now() }
  const words = parseSearch(query.search)
  if (words.length > 0) return getSearchPage(tx, filter, { words, query })
  const counts = await countMembers(tx, filter)
  const total = counts.joined + counts.invited
  const range = toListRange(query, total)
  const members = range.limit > 0 ? await listRange(tx, filter, range, counts) : []
  return toPage(query, members, total)
}

/** The rows of a page in the order of joining. The first page of the reverse order is the end of the list. */
function toListRange(query: MemberQuery, total: number): Range {
  const { offset, limit } = toRange(query)
  const count = Math.min(limit, total - offset)
  return { offset: isReversed(query) ? total - offset - count : offset, limit: count }
}

const isReversed = ({ sort }: MemberQuery): boolean => sort === '-joinedAt'

/** Makes a page of rows that are in the order of joining. */
const toPage = (query: MemberQuery, rows: MemberRow[], total: number): MemberPage => ({
  members: (isReversed(query) ? rows.toReversed() : rows).map(toBody),
  pagination: describePage(query, total),
})

async function getSearchPage(
  tx: Tx,
  filter: MemberFilter,
  { words, query }: { words: string[]; query: MemberQuery },
): Promise<MemberPage> {
  const reversed = isReversed(query)
  const { total, ids } = await searchMembers(tx, filter, { words, reversed, ...toRange(query) })
  return toPage(query, ids.length > 0 ? await listMembersByIds(tx, ids) : [], total)
}

/** Reads from the end of the list that is closer to the page, or from an anchor when the page is far from both. */
async function listRange(tx: Tx, filter: MemberFilter, range: PageRange, counts: MemberCounts): Promise<MemberRow[]> {
  if (isDeepPage(range, counts)) return listFromAnchor(tx, filter, range, counts)
  const offsetFromEnd = counts.joined + counts.invited - range.offset - range.limit
  const fromEnd = offsetFromEnd < range.offset
  return listMemberPage(tx, filter, fromEnd ? { ...range, offset: offsetFromEnd, fromEnd } : range)
}

const toBody = (row: MemberRow): MemberBody => ({
  id: row.id,
  userId: toVisibleUserId(row),
  status: row.status,
  role: row.role,
  joinedAt: row.joined_at?.toISOString() ?? null,
  user: {
    email: row.email,
    // Before the invitation is accepted, the tenant may not even learn whether the account exists.
    displayName: toDisplayName(row.status === 'INVITED' ? { ...UNNAMED, email: row.email } : row),
    pictureUrl: row.status === 'INVITED' ? null : row.picture_url,
  },
})

const UNNAMED = { display_name: null, given_name: null, family_name: null }

export const toChangedMember = (member: Membership): UpdatedMember => ({
  id: member.id,
  userId: toVisibleUserId(member),
  status: member.status,
  role: member.role,
  updatedAt: member.updated_at.toISOString(),
})

/** A change or removal of a member by the caller. */
export interface MemberAction {
  caller: TenantActor
  membershipId: string
  request: FastifyRequest
}

/** Changes the role of a member, or suspends or reactivates the member. */
export async function changeMember(
  ctx: Ctx,
  tx: Tx,
  { caller, membershipId, request, change }: MemberAction & { change: UpdateMemberRequest },
): Promise<Membership> {
  const member = await getMember(ctx, tx, { tenantId: caller.tenantId, membershipId })
  requireManageable(caller.role, member.role)
  const after = { role: change.role ?? member.role, status: change.status ?? member.status }
  requireManageable(caller.role, after.role)
  if (member.status === 'INVITED' && change.status !== undefined) throw new AppError('INVITATION_PENDING')
  const changes = findActions(member, after)
  if (changes.length === 0) return member
  if (after.role !== 'owner' || after.status !== 'ACTIVE') await requireOwnerRemains(tx, member)
  for (const { action, field } of changes) {
    const details = { before: { [field]: member[field] }, after: { [field]: after[field] } }
    await recordAuditEvent(ctx, tx, {
      action,
      ...toAuditSource(caller, request),
      userId: toVisibleUserId(member),
      details,
    })
  }
  return updateMember(tx, member.id, { ...after, updated_at: ctx.now() })
}

type State = Pick<Membership, 'role' | 'status'>

function findActions(before: State, after: State): { action: Action; field: keyof State }[] {
  return [
    ...(before.role === after.role ? [] : [{ action: 'member.role_changed', field: 'role' } as const]),
    ...(before.status === after.status
      ? []
      : [
          {
            action: after.status === 'SUSPENDED' ? 'member.suspended' : 'member.reactivated',
            field: 'status',
          } as const,
        ]),
  ]
}

/** Removes a member. Members may also remove themselves. */
export async function removeMember(ctx: Ctx, tx: Tx, { caller, membershipId, request }: MemberAction): Promise<void> {
  // Without the required second factor a caller may only leave. The check comes first, so that it reveals no member.
  if (toId(membershipId) !== caller.membershipId) requireFactor(caller)
  const member = await getMember(ctx, tx, { tenantId: caller.tenantId, membershipId })
  const isLeaving = member.id === caller.membershipId
  if (!isLeaving) requireManageable(caller.role, member.role)
  // Only the person decides to leave, not an operator who acts as them.
  else if (caller.kind === 'person' && caller.support) throw actingError()
  await requireOwnerRemains(tx, member)
  const { role, status } = member
  const action = isLeaving ? 'member.left' : 'member.removed'
  const details = { before: { role, status } }
  await recordAuditEvent(ctx, tx, {
    action,
    ...toAuditSource(caller, request),
    userId: toVisibleUserId(member),
    details,
  })
  await deleteMember(tx, member.id)
}

const toAuditSource = (caller: TenantActor, request: FastifyRequest) => ({
  actor: toActor(caller),
  tenantId: caller.tenantId,
  request,
})

/** An active owner may only be removed or demoted when there is another owner. */
async function requireOwnerRemains(tx: Tx, { role, status, tenant_id, user_id }: Membership): Promise<void> {
  if (role === 'owner' && status === 'ACTIVE') await requireAnotherOwner(tx, tenant_id, user_id)
}

async function getMember(
  ctx: Ctx,
  tx: Tx,
  { tenantId, membershipId }: { tenantId: string; membershipId: string },
): Promise<Membership> {
  const key = { tenantId, id: membershipId, now: ctx.now() }
  const found = isId(membershipId) ? await findMember(tx, key) : undefined
  // Acceptance of an invitation locks the user before the membership. The same order here avoids a deadlock.
  if (found?.status === 'INVITED') await lockUser(tx, found.user_id)
  const member = found && (await lockMember(tx, key))
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return member
}
