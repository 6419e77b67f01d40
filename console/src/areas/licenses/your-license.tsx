import { Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { useRead } from '../../api/use-api.ts'
import { useMe } from '../../me.tsx'
import { licenses as text } from '../../text/licenses.ts'
import { Icon } from '../../ui/icon.tsx'
import { toDay } from '../../ui/time.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { type LicensedApplication, SEATS, type SeatOfMember } from './types.ts'

/** The longest text that one can search for. */
const LONGEST_SEARCH = 100

/** One's own line in the list of who holds what; it is found by the address. */
export function useOwnSeat(applicationId: string): { data: SeatOfMember | undefined } {
  const tenant = useTenant()
  const { profile } = useMe()
  const { data } = useRead(SEATS, {
    input: {
      path: { id: tenant.id, applicationId },
      query: { search: profile.email.slice(0, LONGEST_SEARCH), limit: 100 },
    },
  })
  return { data: data?.seats.find(({ userId }) => userId === profile.id) }
}

/** What oneself holds, before everybody else. */
export function YourLicense({ application }: { application: LicensedApplication }) {
  const { data } = useOwnSeat(application.id)
  const license = data?.license
  const perSeat = application.licensingMode === 'PER_SEAT'
  return (
    <Paper component="section" p="md" aria-label={text.yours.title} aria-busy={data === undefined}>
      <Group wrap="nowrap" align="flex-start" mih={44}>
        <ThemeIcon variant="light" size={40} radius="xl" color={license ? 'brand' : 'gray'}>
          <Icon name={license ? 'check' : 'seat'} size={20} />
        </ThemeIcon>
        <Stack gap={2}>
          <Title order={2} size="h6">
            {text.yours.title}
          </Title>
          {license && (
            <Text size="sm">
              <b>{license.name}</b>
              {' · '}
              {perSeat ? text.yours.since(toDay(license.assignedAt)) : text.yours.everyone}
            </Text>
          )}
          {license === null && (
            <Text size="sm">
              {text.yours.none} {perSeat && <WayToOne />}
            </Text>
          )}
        </Stack>
      </Group>
    </Paper>
  )
}

/** Whoever can help oneself is told so; the others learn whom to ask. */
function WayToOne() {
  const tenant = useTenant()
  const read = (role: 'owner' | 'admin') => ({
    input: { path: { id: tenant.id }, query: { role, status: 'ACTIVE' as const, limit: 3 } },
    enabled: !tenant.runs,
  })
  const owners = useRead('GET /api/tenants/{id}/members', read('owner'))
  const admins = useRead('GET /api/tenants/{id}/members', read('admin'))
  if (tenant.runs) return text.yours.runs
  const found = [...(admins.data?.members ?? []), ...(owners.data?.members ?? [])].slice(0, 3)
  if (found.length === 0) return text.yours.ask
  return text.yours.askThem(found.map(({ user }) => user.displayName).join(', '))
}
