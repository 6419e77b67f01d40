import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { shell } from '../text/shell.ts'

export interface Confirmation {
  title: string
  /** The consequences of the action. */
  text: ReactNode
  /** The label of the confirm button. */
  action: string
  /** The word to type before an irreversible action. */
  confirmText?: string
  /** False for an action without harm. */
  isDestructive?: boolean
}

export type Ask = (question: Confirmation, run: () => Promise<unknown>) => void

/** A confirmation dialog. It stays open until `run` succeeds, so that the user can retry after an error. */
export function useConfirm(): [dialog: ReactNode, ask: Ask] {
  const [pending, setPending] = useState<{ question: Confirmation; run: () => Promise<unknown> }>()
  const [open, setOpen] = useState(false)
  const dialog = (
    <Modal
      opened={open}
      onClose={() => setOpen(false)}
      title={pending?.question.title}
      closeButtonProps={{ 'aria-label': shell.close }}
    >
      {pending && <ConfirmForm key={String(open)} {...pending} close={() => setOpen(false)} />}
    </Modal>
  )
  return [
    dialog,
    (question, run) => {
      setPending({ question, run })
      setOpen(true)
    },
  ]
}

function ConfirmForm({
  question: { text, action, confirmText, isDestructive = true },
  run,
  close,
}: {
  question: Confirmation
  run: () => Promise<unknown>
  close: () => void
}) {
  const [word, setWord] = useState('')
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    try {
      await run()
      close()
    } catch {
      // `run` has shown the error.
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // React bubbles the event through the portal to the form of the page, which must not be submitted.
        event.stopPropagation()
        void submit()
      }}
    >
      <Stack>
        <Text size="sm" component="div">
          {text}
        </Text>
        {confirmText !== undefined && (
          <TextInput
            label={shell.typeToConfirm(confirmText)}
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {shell.cancel}
          </Button>
          <Button
            type="submit"
            {...(isDestructive && { color: 'red' })}
            loading={busy}
            disabled={confirmText !== undefined && word !== confirmText}
            {...(confirmText === undefined && { 'data-autofocus': true })}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
