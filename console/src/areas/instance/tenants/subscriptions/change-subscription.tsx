import type { LatchkeyError } from 'latchkey-sdk/error'
import { useState } from 'react'
import { useChange } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showDone } from '../../../../ui/notices.tsx'
import { onField } from '../../kit/on-field.ts'
import { toField, toMoment } from './days.ts'
import type { AnySubscription } from './subscriptions.tsx'
import { type Terms, TermsFields } from './terms.tsx'

const text = subscriptions.change

interface Props {
  subscription: AnySubscription
  opened: boolean
  onClose: () => void
}

/** Changes what a tenant has bought. Nobody loses a seat by it: fewer than are in use is refused. */
export function ChangeSubscriptionDialog({ subscription, opened, onClose }: Props) {
  const { id, licenseTypeName, quantityPurchased, quantityAssigned, status, currentPeriodEnd } = subscription
  const before: Terms = { quantity: quantityPurchased, status, end: toField(currentPeriodEnd) }
  const [terms, setTerms] = useState(before)
  const change = useChange('PATCH /api/licensing/subscriptions/{id}', {
    refreshes: [
      'GET /api/licensing/tenants/{tenantId}/subscriptions',
      'GET /api/licensing/tenants/{tenantId}/ledger',
    ],
    onProblem: () => true,
    onDone: () => showDone(text.done(licenseTypeName)),
  })
  const body = {
    ...(terms.quantity !== before.quantity && { quantityPurchased: terms.quantity }),
    ...(terms.status !== before.status && { status: terms.status }),
    ...(terms.end !== before.end && { currentPeriodEnd: toMoment(terms.end) }),
  }
  return (
    <FormDialog
      title={text.title(licenseTypeName)}
      opened={opened}
      onClose={onClose}
      action={text.action}
      disabled={Object.keys(body).length === 0}
      submit={() =>
        change
          .mutateAsync({ path: { id }, body })
          .catch(onField('SEATS_IN_USE', 'quantityPurchased', sayTooFew(quantityAssigned)))
      }
    >
      {(fields) => (
        <TermsFields
          terms={terms}
          edit={(edited) => setTerms((former) => ({ ...former, ...edited }))}
          fields={fields}
          hint={text.inUse(quantityAssigned)}
        />
      )}
    </FormDialog>
  )
}

/** The service knows best how many are in use. */
const sayTooFew =
  (assigned: number) =>
  ({ details }: LatchkeyError): string => {
    const { inUse } = (details ?? {}) as { inUse?: unknown }
    return text.tooFew(typeof inUse === 'number' ? inUse : assigned)
  }
