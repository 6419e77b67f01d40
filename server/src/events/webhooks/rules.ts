import { isIP } from 'node:net'
import type { Ctx } from '../../context.ts'
import type { FieldProblem } from '../../errors.ts'
import { checkField } from '../../lib/field-validation.ts'
import { isPlainLine } from '../../lib/text.ts'
import { createGuard } from '../dispatch/guard.ts'
import { isPattern, PATTERN_RULE } from '../patterns.ts'
import type { UpdateWebhookRequest } from './schema.ts'

/** Printable ASCII. Parsers disagree on how to handle other characters in a URL. */
const URL_CHARACTERS = /^[\x21-\x7e]+$/

/** Validates the given settings. Omitted settings are not checked. */
export const findWebhookProblems = (
  ctx: Ctx,
  { url, events = [], description }: UpdateWebhookRequest,
): (FieldProblem | undefined)[] => {
  const problem = url === undefined ? undefined : findUrlProblem(ctx, url)
  return [
    problem === undefined ? undefined : { field: 'url', message: problem },
    ...events.map((pattern, index) => checkField(isPattern(pattern), `events.${index}`, PATTERN_RULE)),
    checkField(new Set(events).size === events.length, 'events', 'must name each once'),
    checkField(isPlainLine(description ?? ''), 'description', 'must be one line without control characters'),
  ]
}

/**
 * Checks only what the URL itself shows. A host name is resolved and checked for every request, because its addresses
 * may change.
 */
function findUrlProblem({ config }: Ctx, text: string): string | undefined {
  if (!URL_CHARACTERS.test(text) || !URL.canParse(text)) return 'must be an absolute address'
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
