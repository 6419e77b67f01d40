import { NumberInput, Select, TextInput } from '@mantine/core'
import { subscriptionStatus } from '../../../../text/seats.ts'
import { subscriptions as text } from '../../../../text/subscriptions.ts'
import type { FieldErrors } from '../../../../ui/form-dialog.tsx'
import type { AnySubscription } from './subscriptions.tsx'

export interface Terms {
  quantity: number
  status: AnySubscription['status']
  /** As a date field writes it; empty: without an end. */
  end: string
}

interface Props {
  terms: Terms
  edit: (change: Partial<Terms>) => void
  fields: FieldErrors
  /** What is said of the number of seats. */
  hint?: string
}

const STATUSES = Object.entries(subscriptionStatus).map(([value, label]) => ({
  value: value as Terms['status'],
  label,
}))

/** How many seats, in what state, and until when. */
export const TermsFields = ({ terms, edit, fields, hint }: Props) => (
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
      error={fields.quantityPurchased}
      required
    />
    <Select
      label={text.status}
      description={text.statusHints[terms.status]}
      data={STATUSES}
      value={terms.status}
      onChange={(status) => status !== null && edit({ status })}
      allowDeselect={false}
      error={fields.status}
    />
    <TextInput
      type="date"
      label={text.add.end}
      description={text.add.endHint}
      value={terms.end}
      onChange={(event) => edit({ end: event.currentTarget.value })}
      max="9999-12-30"
      error={fields.currentPeriodEnd}
    />
  </>
)
