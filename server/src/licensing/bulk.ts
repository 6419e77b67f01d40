import type { BulkReply } from './schema.ts'
import type { RowResult } from './seats/bulk.ts'

type Row = BulkReply['results'][number]

export function toBulkReply<T>(
  requests: { userId: string }[],
  outcomes: RowResult<T>[],
  toRow: (result: T) => Omit<Row, 'userId'>,
): BulkReply {
  const results = outcomes.map((outcome, index): Row => {
    const userId = requests[index]?.userId ?? ''
    if ('result' in outcome) return { userId, ...toRow(outcome.result) }
    const { status, code, message, details } = outcome.error
    return { userId, statusCode: status, error: code, message, ...(details && { details }) }
  })
  const failed = outcomes.filter((outcome) => 'error' in outcome).length
  return { done: results.length - failed, failed, results }
}
