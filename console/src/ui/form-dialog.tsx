import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { shell } from '../text/shell.ts'
import { ErrorAlert } from './states.tsx'
import { type FieldErrors, useSubmit } from './use-submit.ts'

/** A form in a dialog. `children` receives the field errors. */
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
  /** The dialog closes unless this throws. */
  submit: () => Promise<unknown>
  disabled?: boolean
  children: (fieldErrors: FieldErrors) => ReactNode
}) {
  const form = useSubmit(async () => {
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
          {form.generalError !== undefined && <ErrorAlert error={form.generalError} />}
          {children(form.fieldErrors)}
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
