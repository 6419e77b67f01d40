import { toEventBody } from '../../audit/event-body.ts'
import { listEvents } from '../../audit/feed.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type Caller, isAdministrator } from '../../http/callers.ts'
import { demand, refuseProblems } from '../../lib/problems.ts'
import { isPattern, MOST_PATTERNS, PATTERN_RULE, typesOf } from '../patterns.ts'
import { type FeedPage, type FeedRequest, LONGEST_PAGE } from './schema.ts'
import { findExtent, findPositionBehind } from './store.ts'

/** So many entries are looked at for one page, however few of them are wanted. */
const MOST_LOOKED_AT = 10_000

/** What happened after a position, for whoever may know: operators all of it, others what is their tenant's. */
export async function readFeed(ctx: Ctx, caller: Caller, request: FeedRequest): Promise<FeedPage> {
  const limit = Math.min(request.limit, LONGEST_PAGE)
  const types = request.types === undefined ? undefined : typesOf(parsePatterns(request.types))
  const tenantId = tenantOf(caller, request)
  // Asked for first: what is linked meanwhile stands further on, and is left for the next page.
  const { anchor, head } = await findExtent(ctx.db)
  const after = Math.max(request.after, anchor)
  const upTo = Math.min(head, await findReach(ctx, after, tenantId))
  const events =
    types?.length === 0 || upTo <= after
      ? []
      : await listEvents(ctx.db, { after, upTo, limit, tenantId, types })
  const last = events.length === limit ? events.at(-1)?.position : undefined
  return { events: events.map(toEventBody), next: last ?? Math.max(after, upTo), head }
}

/** Undefined: of every tenant and of none. */
function tenantOf(caller: Caller, { tenantId }: FeedRequest): string | undefined {
  if (isAdministrator(caller)) return tenantId
  const wanted = tenantId?.toLowerCase() ?? caller.tenantId
  if (caller.tenantId === undefined || wanted !== caller.tenantId) throw new AppError('FORBIDDEN')
  return caller.tenantId
}

const findReach = async ({ db }: Ctx, after: number, tenantId: string | undefined): Promise<number> =>
  tenantId === undefined
    ? after + MOST_LOOKED_AT
    : ((await findPositionBehind(db, { tenantId, after, many: MOST_LOOKED_AT })) ?? Number.MAX_SAFE_INTEGER)

function parsePatterns(text: string): string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim())
  refuseProblems([
    demand(patterns.every(isPattern), 'types', `${PATTERN_RULE}, or several of them`),
    demand(patterns.length <= MOST_PATTERNS, 'types', `must name at most ${MOST_PATTERNS}`),
  ])
  return patterns
}
