import type { BulkReply } from './schema.ts'
import type { RowResult } from './seats/many.ts'

type Row = BulkReply['results'][number]

/** What became of each of many, as it is answered. */
export function bulkReply<T>(
  wishes: { userId: string }[],
  outcomes: RowResult<T>[],
  show: (result: T) => Omit<Row, 'userId'>,
): BulkReply {
  const results = outcomes.map((outcome, index): Row => {
    const userId = wishes[index]?.userId ?? ''
    if ('result' in outcome) return { userId, ...show(outcome.result) }
    const { status, code, message, details } = outcome.error
    return { userId, statusCode: status, error: code, message, ...(details && { details }) }
  })
  const failed = outcomes.filter((outcome) => 'error' in outcome).length
  return { done: results.length - failed, failed, results }
}
