import type { FastifyRequest } from 'fastify'
import { type Action, actorOf, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { displayNameOf } from '../../lib/display-name.ts'
import { isId, toId } from '../../lib/ids.ts'
import { readSearch } from '../../lib/search-words.ts'
import { lockUser } from '../../users/service.ts'
import { shownUserId } from '../invited.ts'
import { requireAnotherOwner } from '../ownership.ts'
import { type Acting, requireFactor, requireReach } from '../permissions.ts'
import { isFarIn, listFromMilestone } from './milestones.ts'
import type { ChangedMember, MemberBody, MemberChangeRequest, MemberPage, MemberQuery } from './schema.ts'
import { searchMembers } from './search/store.ts'
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
  type Stretch,
  updateMember,
} from './store.ts'

/** The members of a tenant: who they are, what they may do there, and how they leave. */

export async function pageOfMembers(
  ctx: Ctx,
  tx: Tx,
  { tenantId, query }: { tenantId: string; query: MemberQuery },
): Promise<MemberPage> {
  const { status, role } = query
  const filter = { tenantId, status, role, now: ctx.now() }
  const words = readSearch(query.search)
  if (words.length > 0) return pageOfFound(tx, filter, { words, query })
  const counts = await countMembers(tx, filter)
  const total = counts.joined + counts.invited
  const { offset, limit } = toRange(query)
  const wanted = { offset, limit: Math.min(limit, total - offset) }
  const members = wanted.limit > 0 ? await listStretch(tx, filter, wanted, counts) : []
  return { members: members.map(toBody), pagination: describePage(query, total) }
}

/** Those whom every word leads to. */
async function pageOfFound(
  tx: Tx,
  filter: MemberFilter,
  { words, query }: { words: string[]; query: MemberQuery },
): Promise<MemberPage> {
  const { total, ids } = await searchMembers(tx, filter, { words, ...toRange(query) })
  const members = ids.length > 0 ? await listMembersByIds(tx, ids) : []
  return { members: members.map(toBody), pagination: describePage(query, total) }
}

/** Whatever lies nearer to the end is reached from there, and whatever is far from both by milestones. */
async function listStretch(
  tx: Tx,
  filter: MemberFilter,
  wanted: Stretch,
  counts: MemberCounts,
): Promise<MemberRow[]> {
  if (isFarIn(wanted, counts)) return listFromMilestone(tx, filter, wanted, counts)
  const behind = counts.joined + counts.invited - wanted.offset - wanted.limit
  const fromEnd = behind < wanted.offset
  return listMemberPage(tx, filter, fromEnd ? { ...wanted, offset: behind, fromEnd } : wanted)
}

const toBody = (row: MemberRow): MemberBody => ({
  id: row.id,
  userId: shownUserId(row),
  status: row.status,
  role: row.role,
  joinedAt: row.joined_at?.toISOString() ?? null,
  user: {
    email: row.email,
    // Who has not joined has told this tenant nothing, not even whether there is an account.
    displayName: displayNameOf(row.status === 'INVITED' ? { ...UNNAMED, email: row.email } : row),
    pictureUrl: row.status === 'INVITED' ? null : row.picture_url,
  },
})

const UNNAMED = { display_name: null, given_name: null, family_name: null }

/** A member after a change. */
export const toChanged = (member: Membership): ChangedMember => ({
  id: member.id,
  userId: shownUserId(member),
  status: member.status,
  role: member.role,
  updatedAt: member.updated_at.toISOString(),
})

/** What somebody does to a member. */
export interface MemberAction {
  caller: Acting
  membershipId: string
  request: FastifyRequest
}

/** Gives a member another role, or suspends or reactivates them. */
export async function changeMember(
  ctx: Ctx,
  tx: Tx,
  { caller, membershipId, request, change }: MemberAction & { change: MemberChangeRequest },
): Promise<Membership> {
  const member = await getMember(ctx, tx, { tenantId: caller.tenantId, membershipId })
  requireReach(caller.role, member.role)
  const after = { role: change.role ?? member.role, status: change.status ?? member.status }
  requireReach(caller.role, after.role)
  if (member.status === 'INVITED' && change.status !== undefined) throw new AppError('INVITATION_PENDING')
  const changes = findActions(member, after)
  if (changes.length === 0) return member
  if (after.role !== 'owner' || after.status !== 'ACTIVE') await stayOwned(tx, member)
  for (const { action, field } of changes) {
    const details = { before: { [field]: member[field] }, after: { [field]: after[field] } }
    await record(ctx, tx, { action, ...describe(caller, request), userId: shownUserId(member), details })
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

/** Lets a member go: removed by another, or of their own will. */
export async function removeMember(
  ctx: Ctx,
  tx: Tx,
  { caller, membershipId, request }: MemberAction,
): Promise<void> {
  // Whoever lacks the second factor may leave, and does not even learn who is there.
  if (toId(membershipId) !== caller.membershipId) requireFactor(caller)
  const member = await getMember(ctx, tx, { tenantId: caller.tenantId, membershipId })
  const leaves = member.id === caller.membershipId
  if (!leaves) requireReach(caller.role, member.role)
  await stayOwned(tx, member)
  const { role, status } = member
  const action = leaves ? 'member.left' : 'member.removed'
  const details = { before: { role, status } }
  await record(ctx, tx, { action, ...describe(caller, request), userId: shownUserId(member), details })
  await deleteMember(tx, member.id)
}

const describe = (caller: Acting, request: FastifyRequest) => ({
  actor: actorOf(caller),
  tenantId: caller.tenantId,
  request,
})

/** Somebody other than this member must look after the tenant, if the member does. */
async function stayOwned(tx: Tx, { role, status, tenant_id, user_id }: Membership): Promise<void> {
  if (role === 'owner' && status === 'ACTIVE') await requireAnotherOwner(tx, tenant_id, user_id)
}

async function getMember(
  ctx: Ctx,
  tx: Tx,
  { tenantId, membershipId }: { tenantId: string; membershipId: string },
): Promise<Membership> {
  const key = { tenantId, id: membershipId, now: ctx.now() }
  const seen = isId(membershipId) ? await findMember(tx, key) : undefined
  // They may be accepting their invitation at this moment, and whoever does locks the person first.
  if (seen?.status === 'INVITED') await lockUser(tx, seen.user_id)
  const member = seen && (await lockMember(tx, key))
  if (!member) throw new AppError('MEMBER_NOT_FOUND')
  return member
}
