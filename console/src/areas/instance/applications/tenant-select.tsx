import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useRead } from '../../../api/use-api.ts'
import { clients as text } from '../../../text/clients.ts'

const INSTANCE = 'instance'

interface TenantSelectProps {
  /** Null: the whole instance. */
  value: string | null
  onChange: (tenantId: string | null) => void
  error?: string | undefined
}

/** Chooses a tenant, or all of them. Where there are many, typing finds the others. */
export function TenantSelect({ value, onChange, error }: TenantSelectProps) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState<{ value: string; label: string }>()
  const [search] = useDebouncedValue(typed.trim(), 250)
  const isSearch = search !== '' && search !== chosen?.label && search !== text.wholeInstance
  const found = useRead('GET /api/admin/tenants', {
    input: { query: { sort: 'name', limit: 50, ...(isSearch && { search }) } },
  })
  const tenants = (found.data?.tenants ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isListed = chosen === undefined || tenants.some((tenant) => tenant.value === chosen.value)
  return (
    <Select
      label={text.tenant}
      description={text.tenantText}
      data={[{ value: INSTANCE, label: text.wholeInstance }, ...tenants, ...(isListed ? [] : [chosen])]}
      value={value ?? INSTANCE}
      onChange={(picked) => {
        setChosen(tenants.find((tenant) => tenant.value === picked))
        onChange(picked === INSTANCE ? null : picked)
      }}
      searchable
      onSearchChange={setTyped}
      nothingFoundMessage={text.noTenants}
      allowDeselect={false}
      error={error}
    />
  )
}
