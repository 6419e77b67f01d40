import { Group, Select } from '@mantine/core'
import { members as text } from '../../../text/members.ts'
import { memberStatus, roles } from '../../../text/roles.ts'
import { SearchBox } from '../../../ui/search-box.tsx'

interface MemberFilterValues {
  search: string
  role: string
  status: string
}

const ROLES = (['owner', 'admin', 'member'] as const).map((value) => ({ value, label: roles[value] }))
const STATUSES = (['ACTIVE', 'INVITED', 'SUSPENDED'] as const).map((value) => ({
  value,
  label: memberStatus[value],
}))

export const MemberFilters = ({
  values,
  set,
}: {
  values: MemberFilterValues
  set: (change: Partial<Record<keyof MemberFilterValues, string | null>>) => void
}) => (
  <Group gap="sm">
    <SearchBox label={text.search} value={values.search} onSearch={(search) => set({ search })} />
    <Select
      aria-label={text.role}
      placeholder={text.anyRole}
      data={ROLES}
      value={values.role || null}
      onChange={(role) => set({ role })}
      clearable
      w={{ base: 'calc(50% - 6px)', xs: 150 }}
    />
    <Select
      aria-label={text.status}
      placeholder={text.anyStatus}
      data={STATUSES}
      value={values.status || null}
      onChange={(status) => set({ status })}
      clearable
      w={{ base: 'calc(50% - 6px)', xs: 160 }}
    />
  </Group>
)

/** Ignores unknown values in the query string. */
export const toMemberQuery = ({ search, role, status }: MemberFilterValues) => ({
  ...(search !== '' && { search }),
  ...ROLES.filter(({ value }) => value === role).map(({ value }) => ({ role: value }))[0],
  ...STATUSES.filter(({ value }) => value === status).map(({ value }) => ({ status: value }))[0],
})
