import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { clients as text } from '../../../text/clients.ts'

const INSTANCE = 'instance'

interface TenantSelectProps {
  /** Null for the whole instance. */
  value: string | null
  onChange: (tenantId: string | null) => void
  error?: string | undefined
}

/** Selects a tenant or the whole instance. Typing searches on the server. */
export function TenantSelect({ value, onChange, error }: TenantSelectProps) {
  const [typed, setTyped] = useState('')
  const [selected, setSelected] = useState<{ value: string; label: string }>()
  const [search] = useDebouncedValue(typed.trim(), 250)
  const isSearch = search !== '' && search !== selected?.label && search !== text.wholeInstance
  const query = useApiQuery('GET /api/admin/tenants', {
    input: { query: { sort: 'name', limit: 50, ...(isSearch && { search }) } },
  })
  const tenants = (query.data?.tenants ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isListed = selected === undefined || tenants.some((tenant) => tenant.value === selected.value)
  return (
    <Select
      label={text.tenant}
      description={text.tenantText}
      data={[{ value: INSTANCE, label: text.wholeInstance }, ...tenants, ...(isListed ? [] : [selected])]}
      value={value ?? INSTANCE}
      onChange={(id) => {
        setSelected(tenants.find((tenant) => tenant.value === id))
        onChange(id === INSTANCE ? null : id)
      }}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={text.noTenants}
      allowDeselect={false}
      error={error}
    />
  )
}
