import { Button, Group, Pill, Select, TextInput } from '@mantine/core'
import { audit as text } from '../../text/audit.ts'
import { auditFamilies, auditKinds, auditSentences } from '../../text/audit-kinds.ts'
import { FILTERS, type FilterName, type Filters } from './entries.ts'
import type { Names } from './names.ts'

/** The event families that occur in tenants. */
const TENANT_FAMILIES = [
  'member',
  'invitation',
  'license',
  'subscription',
  'tenant',
  'support_access',
  'webhook',
  'client',
  'audit',
]

const ACTIONS = Object.keys(auditSentences)

const toKind = (action: string): string => auditKinds[action.slice(action.indexOf('.') + 1)] ?? action

/** For each family, an option for all of its actions and one per action. */
const toOptions = (families: string[]) =>
  families.map((family) => {
    const group = auditFamilies[family] ?? family
    const kinds = ACTIONS.filter((action) => action.startsWith(`${family}.`))
    return {
      group,
      items: [
        { value: family, label: text.filters.everything(group) },
        ...kinds.map((value) => ({ value, label: text.filters.kind(group, toKind(value)) })),
      ],
    }
  })

const OPTIONS = { tenant: toOptions(TENANT_FAMILIES), instance: toOptions(Object.keys(auditFamilies)) }
const ENTRY_FILTERS = ['actorId', 'userId', 'clientId', 'ipAddress', 'requestId', 'tenantId'] as const

/** The filters of the log. Those set from an entry, such as user and IP address, are shown as removable pills. */
export function AuditFilters({
  isTenantLog,
  values,
  names,
  set,
}: {
  isTenantLog: boolean
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
        data={isTenantLog ? OPTIONS.tenant : OPTIONS.instance}
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
      {ENTRY_FILTERS.filter((name) => values[name] !== '').map((name) => {
        const label = text.filters.names[name](names(values[name]) ?? values[name])
        return (
          <Pill
            key={name}
            size="md"
            withRemoveButton
            onRemove={() => set({ [name]: null })}
            removeButtonProps={{
              'aria-label': text.filters.remove(label),
              'aria-hidden': false,
              tabIndex: 0,
            }}
          >
            {label}
          </Pill>
        )
      })}
    </Group>
  )
}
