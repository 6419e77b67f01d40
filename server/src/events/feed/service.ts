import { toEventBody } from '../../audit/event-body.ts'
import { listEvents } from '../../audit/feed.ts'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type Caller, isAdministrator } from '../../http/routing/callers.ts'
import { t } from '../../languages/translate.ts'
import { checkField, throwIfInvalid } from '../../lib/field-validation.ts'
import { expandPatterns, isPattern, MAX_PATTERNS } from '../patterns.ts'
import { type EventPage, type FeedRequest, MAX_PAGE_SIZE } from './schema.ts'
import { findFeedBounds, findNthPositionAfter } from './store.ts'

/** The maximum number of entries scanned for one page, even if few of them match. */
const MAX_SCANNED = 10_000

/** Events after a position: all for operators, those of their tenant for other callers. */
export async function readFeed(ctx: Ctx, caller: Caller, request: FeedRequest): Promise<EventPage> {
  const limit = Math.min(request.limit, MAX_PAGE_SIZE)
  const types = request.types === undefined ? undefined : expandPatterns(parsePatterns(request.types))
  const tenantId = resolveTenant(caller, request)
  // Read first: entries linked meanwhile have higher positions and belong to the next page.
  const { anchor, head } = await findFeedBounds(ctx.db)
  const after = Math.max(request.after, anchor)
  const upTo = Math.min(head, await findScanEnd(ctx, after, tenantId))
  const events =
    types?.length === 0 || upTo <= after ? [] : await listEvents(ctx.db, { after, upTo, limit, tenantId, types })
  const last = events.length === limit ? events.at(-1)?.position : undefined
  return { events: events.map(toEventBody), next: last ?? Math.max(after, upTo), head }
}

/** Returns undefined for all events of the instance. */
function resolveTenant(caller: Caller, { tenantId }: FeedRequest): string | undefined {
  if (isAdministrator(caller)) return tenantId
  const requested = tenantId?.toLowerCase() ?? caller.tenantId
  if (caller.tenantId === undefined || requested !== caller.tenantId) throw new AppError('FORBIDDEN')
  return caller.tenantId
}

const findScanEnd = async ({ db }: Ctx, after: number, tenantId: string | undefined): Promise<number> =>
  tenantId === undefined
    ? after + MAX_SCANNED
    : ((await findNthPositionAfter(db, { tenantId, after, count: MAX_SCANNED })) ?? Number.MAX_SAFE_INTEGER)

function parsePatterns(text: string): string[] {
  const patterns = text.split(',').map((pattern) => pattern.trim())
  const rule = t('must be a known type of event, a family such as user.*, or *, or several of them')
  throwIfInvalid([
    checkField(patterns.every(isPattern), 'types', rule),
    checkField(patterns.length <= MAX_PATTERNS, 'types', t('must name at most {max}', { max: MAX_PATTERNS })),
  ])
  return patterns
}
