import { Button, Group, Modal, Stack } from '@mantine/core'
import { LatchkeyError } from 'latchkey-sdk/error'
import { type FormEvent, type ReactNode, useState } from 'react'
import { shell } from '../text/shell.ts'
import { Problem } from './states.tsx'

/** What the service said of each field, under the field. */
export type FieldErrors = Record<string, string>

export const fieldErrorsOf = (error: unknown): FieldErrors =>
  error instanceof LatchkeyError
    ? Object.fromEntries(error.fields.map(({ field, message }) => [field, message]))
    : {}

/** Sends a form once, and keeps what was refused, field by field. */
export function useForm(submit: () => Promise<unknown>) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    // A form in a dialog stands, for React, inside the page's own.
    event.stopPropagation()
    if (busy) return
    setBusy(true)
    try {
      await submit()
      setError(undefined)
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  const fields = fieldErrorsOf(error)
  return {
    ...{ error, busy, fields, onSubmit },
    /** What was refused and belongs to no field. */
    general: Object.keys(fields).length === 0 ? error : undefined,
    clear: () => setError(undefined),
  }
}

/** A form in a dialog. `children` get what was refused. */
export function FormDialog({
  title,
  opened,
  onClose,
  action,
  submit,
  disabled = false,
  children,
}: {
  title: string
  opened: boolean
  onClose: () => void
  action: string
  /** Throws where it is refused; the dialog closes otherwise. */
  submit: () => Promise<unknown>
  disabled?: boolean
  children: (fields: FieldErrors) => ReactNode
}) {
  const form = useForm(async () => {
    await submit()
    onClose()
  })
  const close = () => {
    form.clear()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ 'aria-label': shell.close }}>
      <form onSubmit={form.onSubmit}>
        <Stack>
          {form.general !== undefined && <Problem error={form.general} />}
          {children(form.fields)}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shell.cancel}
            </Button>
            <Button type="submit" loading={form.busy} disabled={disabled}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
