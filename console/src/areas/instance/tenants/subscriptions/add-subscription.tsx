import { Select, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { toMoment } from './days.ts'
import { type Terms, TermsFields } from './terms.tsx'

const text = subscriptions.add
const BEGINNING: Terms = { quantity: 5, status: 'ACTIVE', end: '' }

interface Props {
  tenantId: string
  opened: boolean
  onClose: () => void
}

/** Sells a tenant seats: of which application, which license, how many. */
export function AddSubscriptionDialog({ tenantId, opened, onClose }: Props) {
  const [applicationId, setApplication] = useState<string | null>(null)
  const [licenseTypeId, setType] = useState<string | null>(null)
  const [terms, setTerms] = useState(BEGINNING)
  const [search, setSearch] = useState('')
  const applications = useRead('GET /api/admin/applications', {
    input: { query: { limit: 100, sort: 'name' } },
    enabled: opened,
  })
  const types = useRead('GET /api/licensing/license-types', {
    input: { query: { applicationId: applicationId ?? '' } },
    enabled: opened && applicationId !== null,
  })
  // While those of another application are on their way, the former ones are not for sale.
  const sold = (types.data ?? []).filter(
    (type) => type.applicationId === applicationId && type.status === 'ACTIVE',
  )
  const add = useChange('POST /api/licensing/tenants/{tenantId}/subscriptions', {
    refreshes: [
      'GET /api/licensing/tenants/{tenantId}/subscriptions',
      'GET /api/licensing/tenants/{tenantId}/ledger',
    ],
    onProblem: () => true,
    onDone: ({ licenseTypeName }) => {
      showDone(text.done(licenseTypeName))
      setType(null)
      setTerms(BEGINNING)
    },
  })
  const submit = () =>
    add.mutateAsync({
      path: { tenantId },
      body: {
        licenseTypeId: licenseTypeId ?? '',
        quantityPurchased: terms.quantity,
        status: terms.status,
        currentPeriodEnd: toMoment(terms.end),
      },
    })
  const isEmpty = applicationId !== null && types.isSuccess && !types.isPlaceholderData && sold.length === 0
  return (
    <FormDialog
      title={text.title}
      opened={opened}
      onClose={onClose}
      action={text.action}
      submit={submit}
      disabled={licenseTypeId === null}
    >
      {(fields) => (
        <>
          <Select
            label={text.application}
            placeholder={text.chooseApplication}
            data={(applications.data?.applications ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={applicationId}
            onChange={(chosen) => {
              setApplication(chosen)
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
            data={sold.map(({ id, name }) => ({ value: id, label: name }))}
            value={licenseTypeId}
            onChange={setType}
            allowDeselect={false}
            disabled={sold.length === 0}
            error={fields.licenseTypeId}
            required
          />
          {isEmpty && (
            <Text size="sm" c="dimmed">
              {text.noTypes}
            </Text>
          )}
          <TermsFields
            terms={terms}
            edit={(change) => setTerms((former) => ({ ...former, ...change }))}
            fields={fields}
          />
        </>
      )}
    </FormDialog>
  )
}
