import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { shell } from '../text/shell.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  title: string
  /** A link to the parent list. */
  back?: { href: string; label: string }
  /** Status badges next to the title. */
  badges?: ReactNode
  /** One sentence about the purpose of the page. */
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** Heading, lead and actions of every page. */
export function Page({ title, back, badges, lead, actions, children }: PageProps) {
  useDocumentTitle(`${title} · ${shell.product}`)
  return (
    <Stack gap="lg">
      <div>
        {back && <Back {...back} />}
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Group gap="sm">
              <Title order={1} size="h2">
                {title}
              </Title>
              {badges}
            </Group>
            {lead !== undefined && (
              <Text c="dimmed" mt={4} maw="60ch">
                {lead}
              </Text>
            )}
          </div>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      </div>
      {children}
    </Stack>
  )
}

const Back = ({ href, label }: { href: string; label: string }) => (
  <Anchor component={Link} href={href} size="sm" mb="xs" display="inline-block">
    <Group gap={2} wrap="nowrap">
      <Icon name="left" size={16} />
      {label}
    </Group>
  </Anchor>
)
