import { Button, Group, Pill, Select, TextInput } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { auditFamilies, auditSentences } from '../../text/audit-kinds.ts'
import type { Names } from './names.ts'
import { FILTERS, type FilterName, type Filters } from './source.ts'

/** What can happen in a tenant. */
const OF_TENANTS = ['member', 'invitation', 'license', 'subscription', 'tenant', 'webhook', 'client', 'audit']

const ACTIONS = Object.keys(auditSentences)

const toWords = (action: string): string => (action.split('.')[1] ?? '').replaceAll('_', ' ')

/** For each matter everything, then one kind alone. */
const choicesOf = (families: string[]) =>
  families.map((family) => {
    const group = auditFamilies[family] ?? family
    const kinds = ACTIONS.filter((action) => action.startsWith(`${family}.`))
    return {
      group,
      items: [
        { value: family, label: text.filters.everything(group) },
        ...kinds.map((value) => ({ value, label: text.filters.kind(group, toWords(value)) })),
      ],
    }
  })

const CHOICES = { tenant: choicesOf(OF_TENANTS), instance: choicesOf(Object.keys(auditFamilies)) }
const CHOSEN_ELSEWHERE = ['actorId', 'userId', 'ipAddress', 'requestId', 'tenantId'] as const

/** What to look for. Persons and addresses are chosen from an entry, and stand here to be let go. */
export function AuditFilters({
  ofTenant,
  values,
  names,
  set,
}: {
  ofTenant: boolean
  values: Filters
  names: Names
  set: (change: Partial<Record<FilterName, string | null>>) => void
}) {
  const isSet = FILTERS.some((name) => values[name] !== '')
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label={text.filters.action}
        placeholder={text.filters.anything}
        data={ofTenant ? CHOICES.tenant : CHOICES.instance}
        value={values.action || null}
        onChange={(action) => set({ action })}
        searchable
        clearable
        w={{ base: '100%', xs: 280 }}
      />
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          label={text.filters[name]}
          value={values[name]}
          onChange={(event) => set({ [name]: event.currentTarget.value })}
          w={{ base: 'calc(50% - 6px)', xs: 150 }}
        />
      ))}
      {isSet && (
        <Button variant="subtle" onClick={() => set(Object.fromEntries(FILTERS.map((name) => [name, null])))}>
          {text.filters.clear}
        </Button>
      )}
      {CHOSEN_ELSEWHERE.filter((name) => values[name] !== '').map((name) => {
        const told = `${text.filters.names[name]} ${names(values[name]) ?? values[name]}`
        return (
          <Pill
            key={name}
            size="md"
            withRemoveButton
            onRemove={() => set({ [name]: null })}
            removeButtonProps={{ 'aria-label': text.filters.remove(told), 'aria-hidden': false, tabIndex: 0 }}
          >
            {told}
          </Pill>
        )
      })}
    </Group>
  )
}
