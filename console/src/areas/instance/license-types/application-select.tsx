import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'

/** Selects an application. Typing searches on the server. */
export function ApplicationSelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 250)
  const current = useApiQuery('GET /api/admin/applications/{id}', { input: { path: { id: value } } })
  // The search text is the name of the selected application until the user types.
  const isSearch = search !== '' && search !== current.data?.name
  const query = useApiQuery('GET /api/admin/applications', {
    input: { query: { sort: 'name', limit: 50, ...(isSearch && { search }) } },
  })
  const namesById = new Map((query.data?.applications ?? []).map(({ id, name }) => [id, name]))
  if (current.data?.id === value) namesById.set(value, current.data.name)
  return (
    <Select
      label={text.application}
      data={[...namesById].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
      onChange={(id) => id !== null && onChange(id)}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={text.noApplications}
      allowDeselect={false}
      w={{ base: '100%', xs: 320 }}
    />
  )
}
