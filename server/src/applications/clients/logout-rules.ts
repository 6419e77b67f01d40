import type { WebhookConfig } from '../../config.ts'
import type { ClientKind } from '../../db/tables.ts'
import type { FieldProblem } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { findUrlProblem } from '../../lib/outgoing/url.ts'

const field = 'backchannelLogoutUri'

/** The problems of the URL to which logout tokens are sent. */
export function logoutProblems(
  networks: WebhookConfig,
  kind: ClientKind,
  { backchannelLogoutUri: uri }: { backchannelLogoutUri?: string | null },
): FieldProblem[] {
  if (typeof uri !== 'string') return []
  if (kind === 'MACHINE') return [{ field, message: t('must be null: nobody signs in to a MACHINE client') }]
  const message = findUrlProblem(networks, uri)
  return message === undefined ? [] : [{ field, message }]
}
