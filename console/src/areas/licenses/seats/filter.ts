import { useFilters } from '../../../ui/use-filters.ts'
import type { LicensedType } from '../types.ts'

/** Values of the `show` filter. Any other value shows all members. */
export const WITH = 'with'
export const WITHOUT = 'without'
/** The prefix of license type slugs, which keeps them apart from the values above. */
const TYPE_PREFIX = 'type:'

export const showValueOf = ({ slug }: LicensedType): string => TYPE_PREFIX + slug

/** Converts the filters in the query string to query parameters of the API. */
export function useSeatFilter(types: LicensedType[]) {
  const { values, page, set } = useFilters(['search', 'show'])
  const { search, show } = values
  const type = types.find((candidate) => show === showValueOf(candidate))
  const query = {
    page,
    ...(search !== '' && { search }),
    ...(show === WITH && { licensed: true }),
    ...(show === WITHOUT && { licensed: false }),
    ...(type && { licenseTypeId: type.id }),
  }
  return { search, show, query, isFiltered: search !== '' || show !== '', set }
}
