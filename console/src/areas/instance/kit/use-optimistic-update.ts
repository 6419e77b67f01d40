import type { Input, Operation, Reply } from '@latchkey/client'
import { useQueryClient } from '@tanstack/react-query'
import { toQueryKey } from '../../../api/use-api.ts'

/** Updates cached data before the service has replied. The returned function rolls the update back. */
export function useOptimisticUpdate<O extends Operation>(operation: O, input: Input<O>) {
  const client = useQueryClient()
  const key = toQueryKey(operation, input)
  return (update: (reply: Reply<O>) => Reply<O>): (() => void) => {
    // A running query would overwrite the update.
    void client.cancelQueries({ queryKey: key })
    const before = client.getQueryData<Reply<O>>(key)
    if (before !== undefined) client.setQueryData(key, update(before))
    return () => {
      client.setQueryData(key, before)
      void client.invalidateQueries({ queryKey: toQueryKey(operation) })
    }
  }
}
