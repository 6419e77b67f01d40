import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { formatList } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { Outcome } from './use-bulk.ts'

const { bulk: text } = licenses
const MAX_NAMES = 10

/** The result of a bulk change: one entry for each reason, with the people that it concerns. */
export const BulkResults = ({ outcome, onClose }: { outcome: Outcome | undefined; onClose: () => void }) => (
  <Modal
    opened={outcome !== undefined}
    onClose={onClose}
    title={text.title}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {outcome && <Results outcome={outcome} onClose={onClose} />}
  </Modal>
)

interface Reason {
  /** The error code, or undefined for success. */
  error: string | undefined
  message: string
  names: string[]
}

function Results({ outcome, onClose }: { outcome: Outcome; onClose: () => void }) {
  const { undo } = outcome
  return (
    <Stack>
      <Text size="sm">{text.lead(outcome.reply.done, outcome.reply.failed)}</Text>
      <Stack component="ul" gap="sm" className="plain-list" aria-label={text.results}>
        {groupByReason(outcome).map(({ error, message, names }) => (
          <Group component="li" key={error ?? ''} gap="xs" wrap="nowrap" align="flex-start">
            <span className={error === undefined ? undefined : 'alarming'}>
              <Icon name={error === undefined ? 'check' : 'warning'} />
            </span>
            <div>
              <Text size="sm" fw={600}>
                {text.reasons[error ?? 'DONE']?.(names.length) ?? message}
              </Text>
              <Text size="sm" c="dimmed">
                {names.length > MAX_NAMES
                  ? text.andMore(formatList(names.slice(0, MAX_NAMES)), names.length - MAX_NAMES)
                  : formatList(names)}
              </Text>
            </div>
          </Group>
        ))}
      </Stack>
      {undo && (
        <Group justify="space-between" gap="sm">
          <Text size="sm">{text.undoText(outcome.reply.done)}</Text>
          <Button
            variant="default"
            onClick={() => {
              onClose()
              undo()
            }}
          >
            {shell.undo}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Failures first. */
function groupByReason({ reply, members }: Outcome): Reason[] {
  const names = new Map(members.map(({ userId, displayName }) => [userId, displayName]))
  const reasons = new Map<string | undefined, Reason>()
  for (const { userId, error, message } of reply.results) {
    const reason = reasons.get(error) ?? { error, message: message ?? '', names: [] }
    reason.names.push(names.get(userId) ?? userId)
    reasons.set(error, reason)
  }
  return [...reasons.values()].toSorted((a, b) => Number(a.error === undefined) - Number(b.error === undefined))
}
