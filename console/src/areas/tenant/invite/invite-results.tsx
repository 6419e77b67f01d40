import { Button, Group, Progress, ScrollArea, Stack, Text } from '@mantine/core'
import { invite as text } from '../../../text/invitations.ts'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import type { Outcome } from './use-invite.ts'

/** Progress, then the result per address with failures first. */
export function InviteResults({
  outcomes,
  expected,
  busy,
  onAgain,
  onClose,
}: {
  outcomes: Outcome[]
  expected: number
  busy: boolean
  onAgain: () => void
  onClose: () => void
}) {
  const failed = outcomes.filter(({ problem }) => problem !== undefined)
  const sent = outcomes.filter(({ problem }) => problem === undefined)
  return (
    <Stack>
      <Text fw={600} aria-live="polite">
        {busy ? text.sending(outcomes.length, expected) : summarize(sent.length, failed.length)}
      </Text>
      <Progress
        value={expected === 0 ? 0 : (outcomes.length / expected) * 100}
        animated={busy}
        aria-label={text.progress}
      />
      <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars mih={busy ? 120 : 0} viewportProps={{ tabIndex: 0 }}>
        <ul className="plain-list divided" aria-label={text.result.list}>
          {[...failed, ...sent].map(({ email, problem }) => (
            <li key={email}>
              <Group justify="space-between" wrap="nowrap" gap="sm" py={8} align="flex-start">
                <Stack gap={0} miw={0}>
                  <Text size="sm">{email}</Text>
                  {problem !== undefined && (
                    <Text size="xs" c="dimmed">
                      {problem}
                    </Text>
                  )}
                </Stack>
                <StatusBadge tone={problem === undefined ? 'good' : 'bad'}>
                  {problem === undefined ? text.result.sent : text.result.failed}
                </StatusBadge>
              </Group>
            </li>
          ))}
        </ul>
      </ScrollArea.Autosize>
      <Group justify="flex-end">
        {!busy && failed.length > 0 && (
          <Button variant="default" onClick={onAgain}>
            {text.again}
          </Button>
        )}
        <Button onClick={onClose} disabled={busy}>
          {text.done}
        </Button>
      </Group>
    </Stack>
  )
}

function summarize(sent: number, failed: number): string {
  if (failed === 0) return text.result.all(sent)
  return sent === 0 ? text.result.none : text.result.some(sent, failed)
}
