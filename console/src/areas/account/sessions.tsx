import type { Reply } from '@latchkey/client'
import { Button, Group, Text, ThemeIcon } from '@mantine/core'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { parseUserAgent } from '../../lib/device.ts'
import { ownSessions as text } from '../../text/own-sessions.ts'
import { useConfirm } from '../../ui/confirm.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showSuccess } from '../../ui/notifications.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, QueryContent } from '../../ui/states.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { RelativeTime } from '../../ui/time.tsx'

const LIST = 'GET /api/users/me/sessions'
type Session = Reply<typeof LIST>['sessions'][number]

const ICONS = { computer: 'device', phone: 'phone', program: 'terminal' } as const

export function SessionsPage() {
  const query = useApiQuery(LIST, { input: {} })
  const [dialog, ask] = useConfirm()
  const end = useApiMutation('DELETE /api/users/me/sessions/{sessionId}', {
    invalidates: [LIST],
    onSuccess: () => showSuccess(text.ended),
  })
  const endOthers = useApiMutation('DELETE /api/users/me/sessions', {
    invalidates: [LIST],
    onSuccess: ({ count }) => showSuccess(text.endedOthers(count)),
  })
  const confirmEnd = (session: Session) =>
    ask({ title: text.endTitle, text: text.endText(nameOf(session)), action: text.endAction }, () =>
      end.mutateAsync({ path: { sessionId: session.id } }),
    )
  const confirmEndOthers = () =>
    ask({ title: text.endOthersTitle, text: text.endOthersText, action: text.endOthers }, () =>
      endOthers.mutateAsync({}),
    )
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        // Also without others in the list: it does not show support access, which this ends too.
        <Button variant="default" onClick={confirmEndOthers}>
          {text.endOthers}
        </Button>
      }
    >
      <QueryContent query={query} skeletonHeight={64}>
        {({ sessions }) => (
          <DataTable
            label={text.title}
            rows={sessions}
            keyOf={({ id }) => id}
            empty={<EmptyState icon="device" title={text.nothing} />}
            columns={columns(confirmEnd)}
          />
        )}
      </QueryContent>
      {dialog}
    </Page>
  )
}

function nameOf({ userAgent }: Session): string {
  const { program, system } = parseUserAgent(userAgent)
  return text.on(program ?? text.unknown, system)
}

const columns = (end: (session: Session) => void): Column<Session>[] => [
  { title: text.device, cell: (session) => <DeviceCell session={session} /> },
  { title: text.place, cell: (session) => <LocationCell session={session} /> },
  { title: text.lastActive, cell: ({ lastActive }) => <TimeCell at={lastActive} /> },
  { title: text.since, cell: ({ createdAt }) => <TimeCell at={createdAt} />, wideOnly: true },
  {
    title: text.actions,
    actions: true,
    cell: (session) =>
      // The current session ends by signing out.
      session.isCurrent ? null : (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => end(session)}
          aria-label={text.endLabel(nameOf(session))}
        >
          {text.end}
        </Button>
      ),
  },
]

function DeviceCell({ session }: { session: Session }) {
  return (
    <Group gap="sm" wrap="nowrap" title={session.userAgent}>
      <ThemeIcon variant="light" color="gray" size={34} radius="md">
        <Icon name={ICONS[parseUserAgent(session.userAgent).kind]} />
      </ThemeIcon>
      <div>
        <Text size="sm" fw={600}>
          {nameOf(session)}
        </Text>
        {session.isCurrent && <StatusBadge tone="good">{text.here}</StatusBadge>}
      </div>
    </Group>
  )
}

const TimeCell = ({ at }: { at: string }) => (
  <Text size="sm">
    <RelativeTime at={at} />
  </Text>
)

/** The approximate location, if known, and the IP address. */
const LocationCell = ({ session: { location, ipAddress } }: { session: Session }) => (
  <div>
    {location !== 'Unknown' && <Text size="sm">{location}</Text>}
    <Text size="sm" c="dimmed" ff="monospace">
      <bdi>{ipAddress}</bdi>
    </Text>
  </div>
)
