import type { LatchkeyError } from '@latchkey/client/error'
import { useState } from 'react'
import { useApiMutation } from '../../../../api/use-api.ts'
import { subscriptions } from '../../../../text/subscriptions.ts'
import { FormDialog } from '../../../../ui/form-dialog.tsx'
import { showSuccess } from '../../../../ui/notifications.tsx'
import { toFieldError } from '../../kit/field-error.ts'
import { toDateField, toEndOfDay } from './date-fields.ts'
import { type Terms, TermsFields } from './terms.tsx'
import type { Subscription } from './types.ts'

const text = subscriptions.change

interface Props {
  subscription: Subscription
  opened: boolean
  onClose: () => void
}

/** Changes a subscription. The service rejects fewer seats than are in use. */
export function ChangeSubscriptionDialog({ subscription, opened, onClose }: Props) {
  const { id, licenseTypeName, quantityPurchased, quantityAssigned, status, currentPeriodEnd } = subscription
  const saved: Terms = { quantity: quantityPurchased, status, end: toDateField(currentPeriodEnd) }
  const [terms, setTerms] = useState(saved)
  const change = useApiMutation('PATCH /api/licensing/subscriptions/{id}', {
    invalidates: [
      'GET /api/licensing/tenants/{tenantId}/subscriptions',
      'GET /api/licensing/tenants/{tenantId}/ledger',
    ],
    onError: () => true,
    onSuccess: () => showSuccess(text.done(licenseTypeName)),
  })
  const body = {
    ...(terms.quantity !== saved.quantity && { quantityPurchased: terms.quantity }),
    ...(terms.status !== saved.status && { status: terms.status }),
    ...(terms.end !== saved.end && { currentPeriodEnd: toEndOfDay(terms.end) }),
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
          .catch(toFieldError('SEATS_IN_USE', 'quantityPurchased', describeSeatsInUse(quantityAssigned)))
      }
    >
      {(fieldErrors) => (
        <TermsFields
          terms={terms}
          edit={(changes) => setTerms((previous) => ({ ...previous, ...changes }))}
          fieldErrors={fieldErrors}
          hint={text.inUse(quantityAssigned)}
        />
      )}
    </FormDialog>
  )
}

/** Prefers the current number of seats in use from the error details. */
const describeSeatsInUse =
  (assigned: number) =>
  ({ details }: LatchkeyError): string => {
    const { inUse } = (details ?? {}) as { inUse?: unknown }
    return text.tooFew(typeof inUse === 'number' ? inUse : assigned)
  }
