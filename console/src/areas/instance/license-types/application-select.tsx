import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../../api/use-api.ts'
import { licenseTypes as text } from '../../../text/license-types.ts'

/** Chooses an application. Where there are many, typing finds the others. */
export function ApplicationSelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 250)
  const current = useRead('GET /api/admin/applications/{id}', { input: { path: { id: value } } })
  // What is typed is the name of the chosen one until somebody types something else.
  const isSearch = search !== '' && search !== current.data?.name
  const found = useRead('GET /api/admin/applications', {
    input: { query: { sort: 'name', limit: 50, ...(isSearch && { search }) } },
  })
  const known = new Map((found.data?.applications ?? []).map(({ id, name }) => [id, name]))
  if (current.data?.id === value) known.set(value, current.data.name)
  return (
    <Select
      label={text.application}
      data={[...known].map(([id, name]) => ({ value: id, label: name }))}
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
