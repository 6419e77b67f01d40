import { isIP } from 'node:net'
import type { Ctx } from '../../context.ts'
import type { FieldProblem } from '../../errors.ts'
import { demand } from '../../lib/problems.ts'
import { isPlainLine } from '../../lib/text.ts'
import { createGuard } from '../dispatch/guard.ts'
import { isPattern, PATTERN_RULE } from '../patterns.ts'
import type { WebhookChange } from './schema.ts'

/** Characters that stand in an address as it is sent; others would be mended by some and not by others. */
const CHARACTERS = /^[\x21-\x7e]+$/

/** What is wrong with these settings. Those left out are not judged. */
export const webhookProblems = (
  ctx: Ctx,
  { url, events = [], description }: WebhookChange,
): (FieldProblem | undefined)[] => {
  const problem = url === undefined ? undefined : urlProblem(ctx, url)
  return [
    problem === undefined ? undefined : { field: 'url', message: problem },
    ...events.map((pattern, index) => demand(isPattern(pattern), `events.${index}`, PATTERN_RULE)),
    demand(new Set(events).size === events.length, 'events', 'must name each once'),
    demand(isPlainLine(description ?? ''), 'description', 'must be one line without control characters'),
  ]
}

/**
 * Where a name leads is looked at whenever something is sent, because it may change; here only what can be told from
 * the address itself.
 */
function urlProblem({ config }: Ctx, text: string): string | undefined {
  if (!CHARACTERS.test(text) || !URL.canParse(text)) return 'must be an absolute address'
  const { protocol, username, password, hash, hostname } = new URL(text)
  const { allowedNetworks } = config.webhooks
  const schemes = allowedNetworks.length > 0 ? ['https:', 'http:'] : ['https:']
  if (!schemes.includes(protocol)) return 'must start with https://'
  if (username !== '' || password !== '') return 'must not name a user or a password'
  if (hash !== '' || text.includes('#')) return 'must not have a fragment'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) !== 0 && !createGuard(config.webhooks).allows(host, protocol)) {
    return 'must not lead into a network that is not public'
  }
  return undefined
}
