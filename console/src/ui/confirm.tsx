import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { shell } from '../text/shell.ts'

export interface Question {
  title: string
  /** What will happen, and to whom. */
  text: ReactNode
  /** What the button says: the deed, never "OK". */
  action: string
  /** What must be typed, for what cannot be taken back. */
  typed?: string
  /** False for a question about something harmless. */
  hurts?: boolean
}

/**
 * Asks before something that hurts. The dialog stays until the deed is done, so that a refusal leaves one where one
 * was.
 */
export function useConfirm(): [
  dialog: ReactNode,
  ask: (question: Question, deed: () => Promise<unknown>) => void,
] {
  const [asked, setAsked] = useState<{ question: Question; deed: () => Promise<unknown> }>()
  const [open, setOpen] = useState(false)
  const dialog = (
    <Modal
      opened={open}
      onClose={() => setOpen(false)}
      title={asked?.question.title}
      closeButtonProps={{ 'aria-label': shell.close }}
    >
      {asked && <Answer key={String(open)} {...asked} close={() => setOpen(false)} />}
    </Modal>
  )
  return [
    dialog,
    (question, deed) => {
      setAsked({ question, deed })
      setOpen(true)
    },
  ]
}

function Answer({
  question: { text, action, typed, hurts = true },
  deed,
  close,
}: {
  question: Question
  deed: () => Promise<unknown>
  close: () => void
}) {
  const [word, setWord] = useState('')
  const [busy, setBusy] = useState(false)
  const act = async () => {
    setBusy(true)
    try {
      await deed()
      close()
    } catch {
      // Whoever does it says why it failed.
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        // A form in a dialog stands, for React, inside the page's own, which must not be sent along.
        event.stopPropagation()
        void act()
      }}
    >
      <Stack>
        <Text size="sm" component="div">
          {text}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={shell.typeToConfirm(typed)}
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
            {...(hurts && { color: 'red' })}
            loading={busy}
            disabled={typed !== undefined && word !== typed}
            {...(typed === undefined && { 'data-autofocus': true })}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
