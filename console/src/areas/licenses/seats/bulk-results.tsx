import { Group, Modal, Stack, Text } from '@mantine/core'
import { licenses } from '../../../text/licenses.ts'
import { shell } from '../../../text/shell.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { Outcome } from './use-bulk.ts'

const { bulk: text } = licenses

/** The result per user, with the message of the service. */
export const BulkResults = ({ outcome, onClose }: { outcome: Outcome | undefined; onClose: () => void }) => (
  <Modal
    opened={outcome !== undefined}
    onClose={onClose}
    title={text.title}
    closeButtonProps={{ 'aria-label': shell.close }}
  >
    {outcome && <Results {...outcome} />}
  </Modal>
)

function Results({ reply, members }: Outcome) {
  const nameOf = (userId: string) => members.find((member) => member.userId === userId)?.displayName ?? userId
  return (
    <Stack>
      <Text size="sm">{text.lead(reply.done, reply.failed)}</Text>
      <Stack component="ul" gap="sm" className="plain-list" aria-label={text.results}>
        {reply.results.map(({ userId, error, message }) => (
          <Group component="li" key={userId} gap="xs" wrap="nowrap" align="flex-start">
            <span className={error === undefined ? undefined : 'alarming'}>
              <Icon name={error === undefined ? 'check' : 'warning'} />
            </span>
            <div>
              <Text size="sm" fw={600}>
                {nameOf(userId)}
              </Text>
              <Text size="sm" c="dimmed">
                {error === undefined ? text.done : message}
              </Text>
            </div>
          </Group>
        ))}
      </Stack>
    </Stack>
  )
}
