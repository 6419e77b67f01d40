import { useSearchParams } from 'wouter'

export const PAGE_SIZES = [20, 50, 100] as const

/** Search, filters, order, page and page size are kept in the query string, so that links include them. */
export function useFilters<const N extends string>(names: readonly N[]) {
  const [parameters, setParameters] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<N, string>
  const page = Math.max(1, Number.parseInt(parameters.get('page') ?? '1', 10) || 1)
  const limit = PAGE_SIZES.find((size) => String(size) === parameters.get('limit')) ?? PAGE_SIZES[0]
  const update = (change: Record<string, string | number | null | undefined>) =>
    setParameters(
      (previous) => {
        const next = new URLSearchParams(previous)
        // A changed filter, order or page size starts at the first page.
        if (!('page' in change)) next.delete('page')
        for (const [name, value] of Object.entries(change)) {
          if (value === null || value === '' || value === undefined) next.delete(name)
          else next.set(name, String(value))
        }
        return next
      },
      { replace: true },
    )
  const set = (change: Partial<Record<N | 'page', string | number | null>>) => update(change)
  const onPage = (to: number) => update({ page: to })
  const onLimit = (size: number) => update({ limit: size === PAGE_SIZES[0] ? null : size })
  /** The `sort` parameter if it is one of these orders, otherwise the first of them. */
  const sortBy = <const S extends string>(orders: readonly [S, ...S[]]) => {
    const value = orders.find((order) => order === parameters.get('sort')) ?? orders[0]
    return { value, onSort: (sort: string) => update({ sort: sort === orders[0] ? null : sort }) }
  }
  return { values, page, limit, set, sortBy, onPage, onLimit }
}
