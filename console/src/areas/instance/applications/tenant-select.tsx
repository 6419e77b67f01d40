import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api.ts'
import { clients as text } from '../../../text/clients.ts'

const INSTANCE = 'instance'

interface TenantSelectProps {
  /** Null for the whole instance, undefined until a person has chosen. */
  value: string | null | undefined
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
      placeholder={text.tenantPlaceholder}
      description={text.tenantText}
      data={[...tenants, ...(isListed ? [] : [selected]), { value: INSTANCE, label: text.wholeInstance }]}
      value={value === undefined ? null : (value ?? INSTANCE)}
      onChange={(id) => {
        setSelected(tenants.find((tenant) => tenant.value === id))
        if (id !== null) onChange(id === INSTANCE ? null : id)
      }}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={text.noTenants}
      allowDeselect={false}
      error={error}
      required
    />
  )
}
