import { Checkbox, Stack, Text, Title } from '@mantine/core'
import { guide } from '../../../../text/guide.ts'
import { listErrorOf } from '../../../../ui/lines-input.tsx'
import { AddressFields, type DraftFields } from '../clients/address-fields.tsx'
import { TenantSelect } from '../tenant-select.tsx'
import { scopesOfReach } from './starts.ts'

export const AddressesStep = (answers: DraftFields) => (
  <>
    <Question {...guide.addresses} />
    <AddressFields {...answers} origins={false} />
  </>
)

/** A machine has no addresses; instead it is said for whom it acts, and what it may do. */
export function AccessStep({ draft, change, fields }: DraftFields) {
  const { access } = guide
  const scopes = draft.tenantId === null ? access.ofInstance : access.ofTenant
  return (
    <>
      <Question {...access} />
      <TenantSelect
        value={draft.tenantId}
        onChange={(tenantId) => change({ tenantId, scopes: scopesOfReach(tenantId) })}
        error={fields.tenantId}
      />
      <Checkbox.Group
        label={access.scopes}
        value={draft.scopes}
        onChange={(chosen) => change({ scopes: chosen })}
        error={listErrorOf(fields, 'scopes', (_, message) => message)}
      >
        <Stack gap="xs" mt="xs" mih={104}>
          {Object.entries(scopes).map(([scope, meaning]) => (
            <Checkbox key={scope} value={scope} label={scope} description={meaning} />
          ))}
        </Stack>
      </Checkbox.Group>
    </>
  )
}

const Question = ({ title, text }: { title: string; text: string }) => (
  <div>
    <Title order={2} size="h3">
      {title}
    </Title>
    <Text c="dimmed" size="sm" mt={4}>
      {text}
    </Text>
  </div>
)
