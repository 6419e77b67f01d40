import { Checkbox, Stack, Text, Title } from '@mantine/core'
import { guide } from '../../../../text/guide.ts'
import { listErrorOf } from '../../../../ui/lines-input.tsx'
import { AccessConfirmation } from '../clients/access-confirmation.tsx'
import { AddressFields, type DraftFields } from '../clients/address-fields.tsx'
import { NonceSwitch } from '../clients/nonce-switch.tsx'
import { TenantSelect } from '../tenant-select.tsx'

export const AddressesStep = (props: DraftFields) => (
  <>
    <StepHeading {...guide.addresses} />
    <AddressFields {...props} origins={false} />
    <NonceSwitch {...props} />
  </>
)

/** Machine clients have no redirect URIs. They need a tenant, and after that the scopes that fit it. */
export function AccessStep({ draft, change, fieldErrors }: DraftFields) {
  const { access } = guide
  const scopes = draft.tenantId === null ? access.ofInstance : access.ofTenant
  return (
    <>
      <StepHeading {...access} />
      <TenantSelect
        value={draft.tenantId}
        onChange={(tenantId) => change({ tenantId, scopes: [], confirmation: '' })}
        error={fieldErrors.tenantId}
      />
      {draft.tenantId !== undefined && (
        <Checkbox.Group
          label={access.scopes}
          value={draft.scopes}
          onChange={(selected) => change({ scopes: selected })}
          error={listErrorOf(fieldErrors, 'scopes', (_, message) => message)}
        >
          <Stack gap="xs" mt="xs" mih={104}>
            {Object.entries(scopes).map(([scope, meaning]) => (
              <Checkbox key={scope} value={scope} label={scope} description={meaning} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      <AccessConfirmation draft={draft} change={change} fieldErrors={fieldErrors} />
    </>
  )
}

const StepHeading = ({ title, text }: { title: string; text: string }) => (
  <div>
    <Title order={2} size="h3">
      {title}
    </Title>
    <Text c="dimmed" size="sm" mt={4}>
      {text}
    </Text>
  </div>
)
