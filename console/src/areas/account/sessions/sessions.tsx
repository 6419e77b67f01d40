import { Button, Group, Text, ThemeIcon } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { useChange, useRead } from '../../../api/use-api.ts'
import { readDevice } from '../../../lib/device.ts'
import { ownSessions as text } from '../../../text/own-sessions.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { showDone } from '../../../ui/notices.tsx'
import { Page } from '../../../ui/page.tsx'
import { Empty, Loaded } from '../../../ui/states.tsx'
import { StatusBadge } from '../../../ui/status-badge.tsx'
import { Moment } from '../../../ui/time.tsx'

const LIST = 'GET /api/users/me/sessions'
type Session = Reply<typeof LIST>['sessions'][number]

const ICONS = { computer: 'device', phone: 'phone', program: 'terminal' } as const

export function SessionsPlace() {
  const query = useRead(LIST, { input: {} })
  const [dialog, ask] = useConfirm()
  const end = useChange('DELETE /api/users/me/sessions/{sessionId}', {
    refreshes: [LIST],
    onDone: () => showDone(text.ended),
  })
  const endOthers = useChange('DELETE /api/users/me/sessions', {
    refreshes: [LIST],
    onDone: ({ count }) => showDone(text.endedOthers(count)),
  })
  const askOne = (session: Session) =>
    ask({ title: text.endTitle, text: text.endText(nameOf(session)), action: text.endAction }, () =>
      end.mutateAsync({ path: { sessionId: session.id } }),
    )
  const askOthers = () =>
    ask({ title: text.endOthersTitle, text: text.endOthersText, action: text.endOthers }, () =>
      endOthers.mutateAsync({}),
    )
  const hasOthers = query.data?.sessions.some(({ isCurrent }) => !isCurrent) ?? false
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <Button variant="default" onClick={askOthers} disabled={!hasOthers}>
          {text.endOthers}
        </Button>
      }
    >
      <Loaded query={query} height={64}>
        {({ sessions }) => (
          <DataTable
            label={text.title}
            rows={sessions}
            keyOf={({ id }) => id}
            empty={<Empty icon="device" title={text.nothing} />}
            columns={columns(askOne)}
          />
        )}
      </Loaded>
      {dialog}
    </Page>
  )
}

function nameOf({ userAgent }: Session): string {
  const { program, system } = readDevice(userAgent)
  return text.on(program ?? text.unknown, system)
}

const columns = (end: (session: Session) => void): Column<Session>[] => [
  { title: text.device, cell: (session) => <DeviceCell session={session} /> },
  { title: text.place, cell: (session) => <PlaceCell session={session} /> },
  { title: text.lastActive, cell: ({ lastActive }) => <When at={lastActive} /> },
  { title: text.since, cell: ({ createdAt }) => <When at={createdAt} />, wideOnly: true },
  {
    title: text.actions,
    actions: true,
    cell: (session) =>
      // Whoever wants to leave this one signs out.
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
        <Icon name={ICONS[readDevice(session.userAgent).kind]} />
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

const When = ({ at }: { at: string }) => (
  <Text size="sm">
    <Moment at={at} />
  </Text>
)

/** Where it is, as far as that is known, and the address. */
const PlaceCell = ({ session: { location, ipAddress } }: { session: Session }) => (
  <div>
    {location !== 'Unknown' && <Text size="sm">{location}</Text>}
    <Text size="sm" c="dimmed" ff="monospace">
      {ipAddress}
    </Text>
  </div>
)
