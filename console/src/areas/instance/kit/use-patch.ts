import { useQueryClient } from '@tanstack/react-query'
import type { Input, Operation, Reply } from 'latchkey-sdk'
import { keyOf } from '../../../api/use-api.ts'

/**
 * Shows a change before the service has answered. What comes back takes it back again, for when the answer is a
 * refusal.
 */
export function usePatch<O extends Operation>(operation: O, input: Input<O>) {
  const client = useQueryClient()
  const key = keyOf(operation, input)
  return (edit: (reply: Reply<O>) => Reply<O>): (() => void) => {
    // A reading that is under way knows nothing of it.
    void client.cancelQueries({ queryKey: key })
    const before = client.getQueryData<Reply<O>>(key)
    if (before !== undefined) client.setQueryData(key, edit(before))
    return () => {
      client.setQueryData(key, before)
      void client.invalidateQueries({ queryKey: keyOf(operation) })
    }
  }
}
