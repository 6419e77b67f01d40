import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { shell } from '../text/shell.ts'
import { StatusBadge } from './status-badge.tsx'

/** A chart of invented numbers, labeled as such. Screen readers hear the label and the text only. */
export const ExampleData = ({ text, children }: { text: string; children: ReactNode }) => (
  <Stack gap="xs">
    <Text size="sm" component="div">
      <StatusBadge tone="calm">{shell.example}</StatusBadge> {text}
    </Text>
    <div className="example-data" aria-hidden="true">
      {children}
    </div>
  </Stack>
)
