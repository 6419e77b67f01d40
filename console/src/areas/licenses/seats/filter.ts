import { useFilters } from '../../../ui/use-filters.ts'
import type { LicensedType } from '../types.ts'

/** Who is shown: `with` or `without` a license, or the slug of a license type; everybody otherwise. */
export const WITH = 'with'
export const WITHOUT = 'without'
/** Before the slug of a type, so that no type is taken for one of the above. */
const OF_TYPE = 'type:'

export const showOfType = ({ slug }: LicensedType): string => OF_TYPE + slug

/** What of the address narrows the list, as the service takes it. */
export function useSeatFilter(types: LicensedType[]) {
  const { values, page, set } = useFilters(['search', 'show'])
  const { search, show } = values
  const type = types.find((each) => show === showOfType(each))
  const query = {
    page,
    ...(search !== '' && { search }),
    ...(show === WITH && { licensed: true }),
    ...(show === WITHOUT && { licensed: false }),
    ...(type && { licenseTypeId: type.id }),
  }
  return { search, show, query, isNarrowed: search !== '' || show !== '', set }
}
