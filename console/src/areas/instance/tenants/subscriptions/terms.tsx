import { NumberInput, Select, TextInput } from '@mantine/core'
import { subscriptionStatus } from '../../../../text/seats.ts'
import { subscriptions as text } from '../../../../text/subscriptions.ts'
import type { FieldErrors } from '../../../../ui/use-submit.ts'
import type { Subscription } from './types.ts'

export interface Terms {
  quantity: number
  status: Subscription['status']
  /** The value of a date field; empty for no end. */
  end: string
}

interface Props {
  terms: Terms
  edit: (change: Partial<Terms>) => void
  fieldErrors: FieldErrors
  /** A hint for the number of seats. */
  hint?: string
}

const STATUSES = Object.entries(subscriptionStatus).map(([value, label]) => ({
  value: value as Terms['status'],
  label,
}))

/** Quantity, status and end of a subscription. */
export const TermsFields = ({ terms, edit, fieldErrors, hint }: Props) => (
  <>
    <NumberInput
      label={text.add.quantity}
      description={hint}
      value={terms.quantity}
      onChange={(value) => edit({ quantity: Number(value) || 0 })}
      min={0}
      max={10_000_000}
      allowDecimal={false}
      allowNegative={false}
      error={fieldErrors.quantityPurchased}
      required
    />
    <Select
      label={text.status}
      description={text.statusHints[terms.status]}
      data={STATUSES}
      value={terms.status}
      onChange={(status) => status !== null && edit({ status })}
      allowDeselect={false}
      error={fieldErrors.status}
    />
    <TextInput
      type="date"
      label={text.add.end}
      description={text.add.endHint}
      value={terms.end}
      onChange={(event) => edit({ end: event.currentTarget.value })}
      max="9999-12-30"
      error={fieldErrors.currentPeriodEnd}
    />
  </>
)
