import { Button, Center, Stack, Text, Title } from '@mantine/core'
import { Component, type ReactNode, useEffect, useState } from 'react'
import { type ChunkProblem, findChunkProblem, isChunkError } from './chunk-problem.ts'
import { shell } from './text/shell.ts'
import { toErrorMessage } from './ui/notifications.tsx'

/** The page shown when rendering fails. */
export const CrashPage = ({ error }: { error: unknown }) =>
  isChunkError(error) ? (
    <MissingChunk />
  ) : (
    <Problem text={toMessage(error)} action={shell.retry} onAct={() => window.location.assign('/console/')} />
  )

/** A part of the console could not be loaded. Only a reload can load it, which needs the network. */
function MissingChunk() {
  const [problem, setProblem] = useState<ChunkProblem>()
  useEffect(() => {
    void findChunkProblem().then(setProblem)
  }, [])
  const retry = async () => {
    const now = await findChunkProblem()
    setProblem(now)
    if (now !== 'offline') window.location.reload()
  }
  if (problem === undefined) return null
  const action = problem === 'outdated' ? shell.reload : shell.retry
  return <Problem text={shell.chunk[problem]} action={action} onAct={() => void retry()} />
}

const Problem = ({ text, action, onAct }: { text: string; action: string; onAct: () => void }) => (
  <Center mih="60vh" p="lg">
    <Stack align="center" maw="46ch" ta="center" role="alert">
      <Title order={1} size="h3">
        {shell.problem}
      </Title>
      <Text c="dimmed">{text}</Text>
      <Button onClick={onAct}>{action}</Button>
    </Stack>
  </Center>
)

/** Prefers the `error_description` of an OAuth error (RFC 6749 §4.1.2.1). */
function toMessage(error: unknown): string {
  const { error_description } = (error ?? {}) as { error_description?: unknown }
  return typeof error_description === 'string' ? error_description : toErrorMessage(error)
}

interface Props {
  children: ReactNode
  /** Another value shows the children again, for example another path. */
  resetKey?: string
}

interface State {
  error?: unknown
  resetKey?: string | undefined
}

/** Error boundary around the page content. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = {}

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): State | null {
    return resetKey === state.resetKey ? null : { error: undefined, resetKey }
  }

  override render(): ReactNode {
    return this.state.error === undefined ? this.props.children : <CrashPage error={this.state.error} />
  }
}
