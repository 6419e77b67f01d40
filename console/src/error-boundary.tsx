import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { shell } from './text/shell.ts'
import { toErrorMessage } from './ui/notifications.tsx'

/** The page shown when rendering fails. */
export function CrashPage({ error }: { error: unknown }) {
  const isOutdated = isMissingChunk(error)
  return (
    <Center mih="100vh" p="lg">
      <Stack align="center" maw="46ch" ta="center" role="alert">
        <Title order={1} size="h3">
          {shell.problem}
        </Title>
        <Text c="dimmed">{isOutdated ? shell.newVersion : toMessage(error)}</Text>
        <Button onClick={() => window.location.assign('/console/')}>{isOutdated ? shell.reload : shell.retry}</Button>
      </Stack>
    </Center>
  )
}

/** Prefers the `error_description` of an OAuth error (RFC 6749 §4.1.2.1). */
function toMessage(error: unknown): string {
  const { error_description } = (error ?? {}) as { error_description?: unknown }
  return typeof error_description === 'string' ? error_description : toErrorMessage(error)
}

/** A chunk that a newer release of the console has replaced. */
const isMissingChunk = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

interface State {
  error?: unknown
}

/** Error boundary around the page content. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = {}

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <CrashPage error={this.state.error} />
  }
}
