import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { showProblem } from '../ui/notices.tsx'

/** For parts that stand at two doors, a tenant's and the instance's: which route is called is said by a function. */

export interface Endless<T, C> {
  read: (after: C | undefined) => Promise<T>
  /** Where the next part begins; null: that was the last. */
  nextOf: (part: T) => C | null
  everyMs?: number | undefined
}

/** Reads a list part by part, each after the one before. */
export function useEndless<T, C>(key: QueryKey, { read, nextOf, everyMs }: Endless<T, C>) {
  return useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam as C | undefined),
    initialPageParam: undefined as C | undefined,
    getNextPageParam: (part: T) => nextOf(part) ?? undefined,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  })
}

/** Does something. A refusal is shown in the words of the service. */
export function useDeed<I, R>(
  work: (input: I) => Promise<R>,
  {
    refreshes = [],
    onDone,
    quiet = false,
  }: {
    refreshes?: QueryKey[]
    onDone?: (reply: R, input: I) => void
    /** True: whoever calls shows what was refused. */
    quiet?: boolean
  } = {},
) {
  const client = useQueryClient()
  return useMutation<R, Error, I>({
    mutationFn: work,
    onSuccess: async (reply, input) => {
      onDone?.(reply, input)
      await Promise.all(refreshes.map((queryKey) => client.invalidateQueries({ queryKey })))
    },
    onError: (error) => {
      if (!quiet) showProblem(error)
    },
  })
}
