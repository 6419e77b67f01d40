import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Input, Operation, Reply } from 'latchkey-sdk'
import { LatchkeyError } from 'latchkey-sdk/error'
import { SignedOut, signIn } from '../session/session.ts'
import { showProblem } from '../ui/notices.tsx'
import { call } from './api.ts'

/** What was read is good for a moment; going back and forth asks again in the background. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfSignedOut }),
  mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What was refused is refused again; what failed on the way may not.
      retry: (count, error) => count < 2 && isPassing(error),
      refetchOnWindowFocus: true,
    },
    // Passwords that were typed and secrets that are shown once are not kept when they are out of sight.
    mutations: { gcTime: 0 },
  },
})

/** Whoever is not signed in any more signs in again, and comes back to where they were. */
function leaveIfSignedOut(error: Error): void {
  const { pathname, search } = window.location
  if (error instanceof SignedOut) void signIn(pathname + search, { tenant: error.tenant })
}

const isPassing = (error: unknown): boolean =>
  error instanceof LatchkeyError ? error.status >= 500 : !(error instanceof SignedOut)

export interface Reading<O extends Operation> {
  input: Input<O>
  /** The tenant whose token the route takes. */
  tenant?: string | undefined
  /** False: not yet. */
  enabled?: boolean
  /** Asked again after so many milliseconds, for what moves by itself. */
  everyMs?: number | undefined
}

export const keyOf = (operation: Operation, input?: unknown): QueryKey =>
  input === undefined ? [operation] : [operation, input]

/** Reads a route. While another page or filter is on its way, what was there stays. */
export function useRead<O extends Operation>(
  operation: O,
  { input, tenant, enabled = true, everyMs }: Reading<O>,
) {
  return useQuery<Reply<O>>({
    queryKey: tenant === undefined ? keyOf(operation, input) : [...keyOf(operation, input), tenant],
    queryFn: () => call(operation, input, tenant),
    enabled,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
}

export interface Changing<O extends Operation> {
  tenant?: string | undefined
  /** What is read anew once it is done. */
  refreshes?: Operation[]
  onDone?(reply: Reply<O>, input: Input<O>): void
  /** Called instead of the notice; say `true` when the problem has been shown. */
  onProblem?(error: Error): boolean
}

/** Changes something. A refusal is shown in the words of the service. */
export function useChange<O extends Operation>(operation: O, options: Changing<O> = {}) {
  const { tenant, refreshes = [], onDone, onProblem } = options
  const client = useQueryClient()
  return useMutation<Reply<O>, Error, Input<O>>({
    mutationFn: (input) => call(operation, input, tenant),
    onSuccess: async (reply, input) => {
      onDone?.(reply, input)
      await Promise.all(refreshes.map((name) => client.invalidateQueries({ queryKey: keyOf(name) })))
    },
    onError: (error) => {
      if (onProblem?.(error) !== true) showProblem(error)
    },
  })
}
