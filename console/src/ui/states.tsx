import { Alert, Button, Center, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { LatchkeyError } from 'latchkey-sdk/error'
import type { ReactNode } from 'react'
import { lacksFactor } from '../api/api.ts'
import { shell } from '../text/shell.ts'
import { Icon, type IconName } from './icon.tsx'
import { sentenceOf } from './notices.tsx'
import { ShowFactor } from './show-factor.tsx'

/** Nothing here yet: what this would be, and how it begins. */
export function Empty({
  icon,
  title,
  text,
  action,
}: {
  icon: IconName
  title: string
  text?: ReactNode
  action?: ReactNode
}) {
  return (
    <Center py="xl" px="md">
      <Stack align="center" gap="xs" maw="46ch" ta="center">
        <ThemeIcon size={48} radius="xl" variant="light">
          <Icon name={icon} size={24} />
        </ThemeIcon>
        <Title order={3} size="h5">
          {title}
        </Title>
        {text !== undefined && (
          <Text c="dimmed" size="sm">
            {text}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  )
}

/** What went wrong, in the words of the service, and a way on. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={shell.problem} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentenceOf(error)}</Text>
        {error instanceof LatchkeyError && error.requestId !== undefined && (
          <Text size="xs" c="dimmed" ff="monospace">
            {shell.requestId(error.requestId)}
          </Text>
        )}
        {lacksFactor(error) && <ShowFactor />}
        {onRetry && (
          <Button size="compact-sm" variant="light" color="red" onClick={onRetry}>
            {shell.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Takes the room that what is on its way will take, so that nothing jumps. */
export const Waiting = ({ rows = 4, height = 44 }: { rows?: number; height?: number }) => (
  <Stack gap="xs" aria-busy="true" aria-label={shell.loading} role="status">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike, and stay where they are.
      <Skeleton key={row} height={height} radius="sm" />
    ))}
  </Stack>
)

/** What was read, or how far it is. */
export function Loaded<T>({
  query,
  rows,
  height,
  children,
}: {
  query: UseQueryResult<T>
  rows?: number
  height?: number
  children: (data: NonNullable<T>) => ReactNode
}) {
  if (query.data !== undefined && query.data !== null) return children(query.data)
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />
  return <Waiting {...(rows !== undefined && { rows })} {...(height !== undefined && { height })} />
}
