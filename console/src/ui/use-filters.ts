import { useSearchParams } from 'wouter'

/** Search, filters and page are kept in the query string, so that links include them. */
export function useFilters<const N extends string>(names: readonly N[]) {
  const [parameters, setParameters] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<N, string>
  const page = Math.max(1, Number.parseInt(parameters.get('page') ?? '1', 10) || 1)
  const set = (change: Partial<Record<N | 'page', string | number | null>>) =>
    setParameters(
      (previous) => {
        const next = new URLSearchParams(previous)
        // A changed filter starts at the first page.
        if (!('page' in change)) next.delete('page')
        for (const [name, value] of Object.entries(change)) {
          if (value === null || value === '' || value === undefined) next.delete(name)
          else next.set(name, String(value))
        }
        return next
      },
      { replace: true },
    )
  return { values, page, set }
}
