import { Accordion, Checkbox, Input, Radio, ScrollArea, Stack, Text } from '@mantine/core'
import { auditFamilies, auditSentences } from '../../text/audit-kinds.ts'
import { webhooks as text } from '../../text/webhooks.ts'

/** Families of operator actions, which have no events. */
const WITHOUT_EVENTS = [
  'application',
  'resource',
  'client',
  'registration_token',
  'signing_key',
  'mail_template',
  'webhook',
  'audit',
]

const TYPES = Object.keys(auditSentences)
const FAMILIES = Object.keys(auditFamilies).filter((family) => !WITHOUT_EVENTS.includes(family))
/** The families that occur in tenants. */
const TENANT_FAMILIES = ['member', 'invitation', 'license', 'subscription', 'tenant', 'support_access']
const ALL_FAMILIES = [...TENANT_FAMILIES, ...FAMILIES.filter((family) => !TENANT_FAMILIES.includes(family))]

/** Webhooks of a tenant only receive events of the tenant. */
const familiesFor = (isTenantWebhook: boolean) => (isTenantWebhook ? TENANT_FAMILIES : ALL_FAMILIES)

/** Selects all events, whole families or single events. */
export function EventsField({
  isTenantWebhook,
  value,
  onChange,
  error,
}: {
  isTenantWebhook: boolean
  value: string[]
  onChange: (events: string[]) => void
  error: string | undefined
}) {
  const isAll = value.includes('*')
  return (
    <Stack gap="xs">
      <Radio.Group
        label={text.fields.events}
        value={isAll ? 'all' : 'some'}
        onChange={(choice) => onChange(choice === 'all' ? ['*'] : [])}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="all" label={text.fields.all} />
          <Radio value="some" label={text.fields.some} />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <ScrollArea.Autosize mah={300} type="auto">
          <Accordion variant="contained" chevronPosition="left" styles={{ item: { transition: 'none' } }}>
            {familiesFor(isTenantWebhook).map((family) => (
              <Family key={family} family={family} value={value} onChange={onChange} />
            ))}
          </Accordion>
        </ScrollArea.Autosize>
      )}
      {error !== undefined && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  )
}

interface FamilyProps {
  family: string
  value: string[]
  onChange: (events: string[]) => void
}

function Family({ family, value, onChange }: FamilyProps) {
  const name = auditFamilies[family] ?? family
  const wildcard = `${family}.*`
  const types = TYPES.filter((type) => type.startsWith(`${family}.`))
  const hasWildcard = value.includes(wildcard)
  const count = value.filter((event) => event.startsWith(`${family}.`)).length
  const others = value.filter((event) => !event.startsWith(`${family}.`))
  const toggle = (type: string) =>
    onChange(value.includes(type) ? value.filter((event) => event !== type) : [...value, type])
  return (
    <Accordion.Item value={family}>
      <Accordion.Control>
        <Text size="sm" component="span">
          {name}{' '}
          <Text span size="xs" c="dimmed">
            {hasWildcard ? wildcard : count > 0 ? text.fields.chosen(count) : ''}
          </Text>
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap={8}>
          <Checkbox
            size="sm"
            label={text.fields.family(name)}
            checked={hasWildcard}
            onChange={() => onChange(hasWildcard ? others : [...others, wildcard])}
          />
          {types.map((type) => (
            <Checkbox
              key={type}
              size="sm"
              label={type}
              checked={hasWildcard || value.includes(type)}
              disabled={hasWildcard}
              onChange={() => toggle(type)}
            />
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}
