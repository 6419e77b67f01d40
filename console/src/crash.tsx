import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { shell } from './text/shell.ts'
import { sentenceOf } from './ui/notices.tsx'

/** Nothing could be shown: why, and a way on. */
export function Crash({ error }: { error: unknown }) {
  const isOld = isLostFile(error)
  return (
    <Center mih="100vh" p="lg">
      <Stack align="center" maw="46ch" ta="center" role="alert">
        <Title order={1} size="h3">
          {shell.problem}
        </Title>
        <Text c="dimmed">{isOld ? shell.newVersion : describe(error)}</Text>
        <Button onClick={() => window.location.assign('/console/')}>
          {isOld ? shell.reload : shell.retry}
        </Button>
      </Stack>
    </Center>
  )
}

/** What the sign-in page says comes in its own words. */
function describe(error: unknown): string {
  const { error_description } = (error ?? {}) as { error_description?: unknown }
  return typeof error_description === 'string' ? error_description : sentenceOf(error)
}

/** A part of the console that is not there any more, because a newer one has taken its place. */
const isLostFile = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message)

interface State {
  error?: unknown
}

/** Keeps what broke in one place from taking the rest along. */
export class CrashBarrier extends Component<{ children: ReactNode }, State> {
  override state: State = {}

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <Crash error={this.state.error} />
  }
}
