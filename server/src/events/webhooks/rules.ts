import type { Ctx } from '../../context.ts'
import type { FieldProblem } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField } from '../../lib/field-validation.ts'
import { findUrlProblem } from '../../lib/outgoing/url.ts'
import { isPlainLine } from '../../lib/text.ts'
import { isPattern, PATTERN_RULE } from '../patterns.ts'
import type { UpdateWebhookRequest } from './schema.ts'

/** Validates the given settings. Omitted settings are not checked. */
export const findWebhookProblems = (
  ctx: Ctx,
  { url, events = [], description }: UpdateWebhookRequest,
): (FieldProblem | undefined)[] => {
  const problem = url === undefined ? undefined : findUrlProblem(ctx.config.webhooks, url)
  return [
    problem === undefined ? undefined : { field: 'url', message: problem },
    ...events.map((pattern, index) => checkField(isPattern(pattern), `events.${index}`, t(PATTERN_RULE))),
    checkField(new Set(events).size === events.length, 'events', t('must name each once')),
    checkField(isPlainLine(description ?? ''), 'description', t('must be one line without control characters')),
  ]
}
