import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { shell } from '../text/shell.ts'

interface PageProps {
  title: string
  /** One sentence on what this page is for. */
  lead?: ReactNode
  /** What one can do here. */
  actions?: ReactNode
  children: ReactNode
}

/** The frame of every place in the console. */
export function Page({ title, lead, actions, children }: PageProps) {
  useDocumentTitle(`${title} · ${shell.product}`)
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={1} size="h2">
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={4} maw="60ch">
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
