import { Alert, Stack, Text, TextInput } from '@mantine/core'
import { shell } from '../../../../text/shell.ts'
import { Icon } from '../../../../ui/icon.tsx'
import type { DraftFields } from './address-fields.tsx'
import { findConfirmation } from './machine-access.ts'

/** Asks the person to type a word before a machine client gets wide access. */
export function AccessConfirmation({ draft, change, fieldErrors }: DraftFields) {
  const confirmation = findConfirmation(draft)
  if (!confirmation) return null
  return (
    <Alert color="orange" variant="light" icon={<Icon name="warning" />}>
      <Stack gap="xs">
        <Text size="sm">{confirmation.text}</Text>
        <TextInput
          label={shell.typeToConfirm(confirmation.word)}
          value={draft.confirmation}
          onChange={(event) => change({ confirmation: event.currentTarget.value })}
          error={fieldErrors.confirmation}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      </Stack>
    </Alert>
  )
}
