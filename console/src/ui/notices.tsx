import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { LatchkeyError } from 'latchkey-sdk/error'
import { lacksFactor } from '../api/api.ts'
import { shell } from '../text/shell.ts'
import { ShowFactor } from './show-factor.tsx'

/** Long enough to change one's mind. */
const UNDO_MS = 8_000
/** Says that something was done; with a way back, where there is one. */
export function showDone(message: string, undo?: () => void): void {
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

/** Says why something was not done, in the words of the service. */
export function showProblem(error: unknown): void {
  notifications.show({
    color: 'red',
    title: shell.problem,
    message: (
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          {sentenceOf(error)}
        </Text>
        {lacksFactor(error) && <ShowFactor />}
      </Stack>
    ),
    autoClose: 10_000,
  })
}

/** The sentence of an error that a person can act on. */
export function sentenceOf(error: unknown): string {
  if (error instanceof LatchkeyError) {
    const fields = error.fields.map(({ message }) => message)
    return fields.length > 0 ? `${error.message} ${fields.join(' ')}` : error.message
  }
  return error instanceof TypeError ? shell.offline : shell.unexpected
}
