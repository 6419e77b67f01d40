import { keepPreviousData, type QueryKey, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { showError } from '../ui/notifications.tsx'

/** Hooks for parts that exist for a tenant and for the instance: the caller passes the function that calls the route. */

export interface InfiniteListOptions<T, C> {
  fetchPage: (after: C | undefined) => Promise<T>
  /** The cursor of the next page; null after the last page. */
  getNextCursor: (page: T) => C | null
  refetchIntervalMs?: number | undefined
}

/** Loads a list page by page with a cursor. */
export function useInfiniteList<T, C>(
  key: QueryKey,
  { fetchPage, getNextCursor, refetchIntervalMs }: InfiniteListOptions<T, C>,
) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => fetchPage(pageParam as C | undefined),
    initialPageParam: undefined as C | undefined,
    getNextPageParam: (page: T) => getNextCursor(page) ?? undefined,
    placeholderData: keepPreviousData,
    ...(refetchIntervalMs !== undefined && { refetchInterval: refetchIntervalMs }),
  })
}

/** Runs a mutation. Errors are shown with the message of the service. */
export function useAction<I, R>(
  run: (input: I) => Promise<R>,
  {
    invalidates = [],
    onSuccess,
    silent = false,
  }: {
    invalidates?: QueryKey[]
    onSuccess?: (reply: R, input: I) => void
    /** True if the caller shows errors itself. */
    silent?: boolean
  } = {},
) {
  const client = useQueryClient()
  return useMutation<R, Error, I>({
    mutationFn: run,
    onSuccess: async (reply, input) => {
      onSuccess?.(reply, input)
      await Promise.all(invalidates.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      if (!silent) showError(error)
    },
  })
}
