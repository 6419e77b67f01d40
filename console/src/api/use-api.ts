import type { Input, Operation, Reply } from '@latchkey/client'
import { LatchkeyError } from '@latchkey/client/error'
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
import { SignedOutError, signIn } from '../session/session.ts'
import { showError } from '../ui/notifications.tsx'
import { call } from './api.ts'
import { takePreloaded } from './preload.ts'

/** Cached replies are stale after 5 seconds and are then refetched in the background. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgainIfSignedOut }),
  mutationCache: new MutationCache({ onError: signInAgainIfSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Only server and network errors are worth a retry.
      retry: (count, error) => count < 2 && isTransient(error),
      refetchOnWindowFocus: true,
      // Without a connection, requests fail at once and the banner says so. By default they would wait in silence.
      networkMode: 'always',
    },
    // Passwords and one-time secrets must not stay in the cache.
    mutations: { gcTime: 0, networkMode: 'always' },
  },
})

/** Redirects to the sign-in page, which returns to the current page. */
function signInAgainIfSignedOut(error: Error): void {
  const { pathname, search } = window.location
  if (error instanceof SignedOutError) void signIn(pathname + search, { tenant: error.tenant })
}

const isTransient = (error: unknown): boolean =>
  error instanceof LatchkeyError ? error.status >= 500 : !(error instanceof SignedOutError)

export interface ApiQueryOptions<O extends Operation> {
  input: Input<O>
  /** The tenant that the token must be for. */
  tenant?: string | undefined
  enabled?: boolean
  /** Refetch interval, for data that changes without user action. */
  refetchIntervalMs?: number | undefined
}

export const toQueryKey = (operation: Operation, input?: unknown): QueryKey =>
  input === undefined ? [operation] : [operation, input]

/** Queries a route. The previous data stays visible while another page or filter loads. */
export function useApiQuery<O extends Operation>(
  operation: O,
  { input, tenant, enabled = true, refetchIntervalMs }: ApiQueryOptions<O>,
) {
  return useQuery<Reply<O>>({
    queryKey: tenant === undefined ? toQueryKey(operation, input) : [...toQueryKey(operation, input), tenant],
    queryFn: () => takePreloaded(operation, input) ?? call(operation, input, tenant),
    enabled,
    placeholderData: keepPreviousData,
    ...(refetchIntervalMs !== undefined && { refetchInterval: refetchIntervalMs }),
  })
}

export interface ApiMutationOptions<O extends Operation> {
  tenant?: string | undefined
  /** Queries to invalidate after success. */
  invalidates?: Operation[]
  onSuccess?(reply: Reply<O>, input: Input<O>): void
  /** Return `true` to suppress the error notification. */
  onError?(error: Error): boolean
}

/** Calls a route that changes something. Errors are shown with the message of the service. */
export function useApiMutation<O extends Operation>(operation: O, options: ApiMutationOptions<O> = {}) {
  const { tenant, invalidates = [], onSuccess, onError } = options
  const client = useQueryClient()
  return useMutation<Reply<O>, Error, Input<O>>({
    mutationFn: (input) => call(operation, input, tenant),
    onSuccess: async (reply, input) => {
      onSuccess?.(reply, input)
      await Promise.all(invalidates.map((name) => client.invalidateQueries({ queryKey: toQueryKey(name) })))
    },
    onError: (error) => {
      if (onError?.(error) !== true) showError(error)
    },
  })
}
