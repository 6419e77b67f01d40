import { Select, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { toEndOfDay } from './date-fields.ts'
import { type Terms, TermsFields } from './terms.tsx'

const text = subscriptions.add
const DEFAULT_TERMS: Terms = { quantity: 5, status: 'ACTIVE', end: '' }

interface Props {
  tenantId: string
  opened: boolean
  onClose: () => void
}

/** Adds a subscription of a license type to a tenant. */
export function AddSubscriptionDialog({ tenantId, opened, onClose }: Props) {
  const [applicationId, setApplication] = useState<string | null>(null)
  const [licenseTypeId, setType] = useState<string | null>(null)
  const [terms, setTerms] = useState(DEFAULT_TERMS)
  const [search, setSearch] = useState('')
  const applications = useApiQuery('GET /api/admin/applications', {
    input: { query: { limit: 100, sort: 'name' } },
    enabled: opened,
  })
  const types = useApiQuery('GET /api/licensing/license-types', {
    input: { query: { applicationId: applicationId ?? '' } },
    enabled: opened && applicationId !== null,
  })
  // While another application loads, the query still has the license types of the previous one.
  const activeTypes = (types.data ?? []).filter(
    (type) => type.applicationId === applicationId && type.status === 'ACTIVE',
  )
  const add = useApiMutation('POST /api/licensing/tenants/{tenantId}/subscriptions', {
    invalidates: [
      'GET /api/licensing/tenants/{tenantId}/subscriptions',
      'GET /api/licensing/tenants/{tenantId}/ledger',
    ],
    onError: () => true,
    onSuccess: ({ licenseTypeName }) => {
      showSuccess(text.done(licenseTypeName))
      setType(null)
      setTerms(DEFAULT_TERMS)
    },
  })
  const submit = () =>
    add.mutateAsync({
      path: { tenantId },
      body: {
        licenseTypeId: licenseTypeId ?? '',
        quantityPurchased: terms.quantity,
        status: terms.status,
        currentPeriodEnd: toEndOfDay(terms.end),
      },
    })
  const isEmpty = applicationId !== null && types.isSuccess && !types.isPlaceholderData && activeTypes.length === 0
  return (
    <FormDialog
      title={text.title}
      opened={opened}
      onClose={onClose}
      action={text.action}
      submit={submit}
      disabled={licenseTypeId === null}
    >
      {(fieldErrors) => (
        <>
          <Select
            label={text.application}
            placeholder={text.chooseApplication}
            data={(applications.data?.applications ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={applicationId}
            onChange={(value) => {
              setApplication(value)
              setType(null)
            }}
            searchable
            searchValue={search}
            onSearchChange={setSearch}
            allowDeselect={false}
            required
            data-autofocus
          />
          <Select
            label={text.licenseType}
            placeholder={text.chooseType}
            data={activeTypes.map(({ id, name }) => ({ value: id, label: name }))}
            value={licenseTypeId}
            onChange={setType}
            allowDeselect={false}
            disabled={activeTypes.length === 0}
            error={fieldErrors.licenseTypeId}
            required
          />
          {isEmpty && (
            <Text size="sm" c="dimmed">
              {text.noTypes}
            </Text>
          )}
          <TermsFields
            terms={terms}
            edit={(change) => setTerms((previous) => ({ ...previous, ...change }))}
            fieldErrors={fieldErrors}
          />
        </>
      )}
    </FormDialog>
  )
}
