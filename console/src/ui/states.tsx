import { LatchkeyError } from '@latchkey/client/error'
import { Alert, Button, Center, Skeleton, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue } from 'react'
import { isMfaRequired } from '../api/api.ts'
import { shell } from '../text/shell.ts'
import { Icon, type IconName } from './icon.tsx'
import { toErrorMessage } from './notifications.tsx'
import { SecondFactorPrompt } from './second-factor-prompt.tsx'

/** The state of an empty list, with an explanation and an action. */
export function EmptyState({
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

/** An error with the message of the service and a retry button. */
export function ErrorAlert({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <Alert color="red" icon={<Icon name="warning" />} title={shell.problem} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{toErrorMessage(error)}</Text>
        {error instanceof LatchkeyError && error.requestId !== undefined && (
          <Text size="xs" c="dimmed" ff="monospace">
            {shell.requestId(error.requestId)}
          </Text>
        )}
        {isMfaRequired(error) && <SecondFactorPrompt />}
        {onRetry && (
          <Button size="compact-sm" variant="light" color="red" onClick={onRetry}>
            {shell.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Placeholders of the size of the content, to avoid layout shifts. */
export const LoadingSkeleton = ({ rows = 4, height = 44 }: { rows?: number; height?: number }) => (
  <Stack gap="xs" aria-busy="true" aria-label={shell.loading} role="status">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical and never move.
      <Skeleton key={row} height={height} radius="sm" />
    ))}
  </Stack>
)

/** Renders the data of a query, or its loading or error state. */
export function QueryContent<T>({
  query,
  skeletonRows,
  skeletonHeight,
  children,
}: {
  query: UseQueryResult<T>
  skeletonRows?: number
  skeletonHeight?: number
  children: (data: NonNullable<T>) => ReactNode
}) {
  // Rendered in slices, so that a long list does not block the page.
  const data = useDeferredValue(query.data)
  if (data !== undefined && data !== null) return children(data)
  if (query.isError) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />
  return (
    <LoadingSkeleton
      {...(skeletonRows !== undefined && { rows: skeletonRows })}
      {...(skeletonHeight !== undefined && { height: skeletonHeight })}
    />
  )
}
