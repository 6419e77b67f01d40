import { Accordion, Checkbox, Input, Radio, ScrollArea, Stack, Text } from '@mantine/core'
import { auditFamilies, auditSentences } from '../../text/audit-kinds.ts'
import { webhooks as text } from '../../text/webhooks.ts'

/** Of these nothing is sent: they are what operators do. */
const UNSENT = ['application', 'client', 'signing_key', 'webhook', 'audit']

const TYPES = Object.keys(auditSentences)
const FAMILIES = Object.keys(auditFamilies).filter((family) => !UNSENT.includes(family))
/** What can happen in a tenant comes first. */
const IN_ORDER = ['member', 'invitation', 'license', 'subscription', 'tenant']
const GROUPS = [...IN_ORDER, ...FAMILIES.filter((family) => !IN_ORDER.includes(family))]

/** What happens in no tenant, a tenant's webhook would never get. */
const groupsFor = (ofTenant: boolean) => (ofTenant ? IN_ORDER : GROUPS)

/** Which events: all, whole families, or one by one. */
export function EventsField({
  ofTenant,
  value,
  onChange,
  error,
}: {
  ofTenant: boolean
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
            {groupsFor(ofTenant).map((family) => (
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
  const whole = `${family}.*`
  const types = TYPES.filter((type) => type.startsWith(`${family}.`))
  const isWhole = value.includes(whole)
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
            {isWhole ? whole : count > 0 ? text.fields.chosen(count) : ''}
          </Text>
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap={8}>
          <Checkbox
            size="sm"
            label={text.fields.family(name)}
            checked={isWhole}
            onChange={() => onChange(isWhole ? others : [...others, whole])}
          />
          {types.map((type) => (
            <Checkbox
              key={type}
              size="sm"
              label={type}
              checked={isWhole || value.includes(type)}
              disabled={isWhole}
              onChange={() => toggle(type)}
            />
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  )
}
