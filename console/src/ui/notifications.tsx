import { LatchkeyError } from '@latchkey/client/error'
import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { isMfaRequired } from '../api/api.ts'
import { shell } from '../text/shell.ts'
import { SecondFactorPrompt } from './second-factor-prompt.tsx'

/** How long the undo button is shown. */
const UNDO_MS = 8_000
/** Shows a success notification, with an undo button if `undo` is given. */
export function showSuccess(message: string, undo?: () => void): void {
  const id = notifications.show({
    message: undo ? (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          {shell.undo}
        </Button>
      </Group>
    ) : (
      message
    ),
    color: 'teal',
    autoClose: undo ? UNDO_MS : 4_000,
  })
}

/** Shows an error notification with the message of the service. */
export const showError = (error: unknown): void =>
  showProblem(
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {toErrorMessage(error)}
      </Text>
      {isMfaRequired(error) && <SecondFactorPrompt />}
    </Stack>,
  )

/** Shows an error notification. */
export function showProblem(message: ReactNode): void {
  notifications.show({ color: 'red', title: shell.problem, message, autoClose: 10_000 })
}

/** The user-facing message of an error. */
export function toErrorMessage(error: unknown): string {
  if (error instanceof LatchkeyError) {
    const fields = error.fields.map(({ message }) => message)
    return fields.length > 0 ? `${error.message} ${fields.join(' ')}` : error.message
  }
  return error instanceof TypeError ? shell.offline : shell.unexpected
}
