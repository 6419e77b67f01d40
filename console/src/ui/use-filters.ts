import { useSearchParams } from 'wouter'

/** Search, filters and page live in the address: a link leads to what its sender saw. */
export function useFilters<const N extends string>(names: readonly N[]) {
  const [parameters, setParameters] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<
    N,
    string
  >
  const page = Math.max(1, Number.parseInt(parameters.get('page') ?? '1', 10) || 1)
  const set = (change: Partial<Record<N | 'page', string | number | null>>) =>
    setParameters(
      (former) => {
        const next = new URLSearchParams(former)
        // Another filter begins at the first page.
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
