import { useFilters } from '../../../ui/use-filters.ts'
import type { LicensedType } from '../types.ts'

/** Values of the `show` filter. Any other value shows all members. */
export const WITH = 'with'
export const WITHOUT = 'without'
/** The prefix of license type slugs, which keeps them apart from the values above. */
const TYPE_PREFIX = 'type:'

const ORDERS = ['displayName', '-displayName'] as const

export const showValueOf = ({ slug }: LicensedType): string => TYPE_PREFIX + slug

/** Converts the filters in the query string to query parameters of the API. */
export function useSeatFilter(types: LicensedType[]) {
  const { values, page, limit, set, sortBy, onPage, onLimit } = useFilters(['search', 'show'])
  const sorting = sortBy(ORDERS)
  const { search, show } = values
  const type = types.find((candidate) => show === showValueOf(candidate))
  /** What every page of the list has in common. */
  const matching = {
    sort: sorting.value,
    ...(search !== '' && { search }),
    ...(show === WITH && { licensed: true }),
    ...(show === WITHOUT && { licensed: false }),
    ...(type && { licenseTypeId: type.id }),
  }
  const query = { ...matching, page, limit }
  return { search, show, query, matching, sorting, set, onPage, onLimit }
}
