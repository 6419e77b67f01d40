import { Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { useApiQuery } from '../../api/use-api.ts'
import { useMe } from '../../me.tsx'
import { licenses as text } from '../../text/licenses.ts'
import { formatList } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useTenant } from '../tenant/tenant.ts'
import { type LicensedApplication, type MemberSeat, SEATS } from './types.ts'

/** The maximum search length of the API. */
const MAX_SEARCH_LENGTH = 100

/** The seat of the signed-in user, found by email address. */
export function useOwnSeat(applicationId: string): { data: MemberSeat | undefined } {
  const tenant = useTenant()
  const { profile } = useMe()
  const { data } = useApiQuery(SEATS, {
    input: {
      path: { id: tenant.id, applicationId },
      query: { search: profile.email.slice(0, MAX_SEARCH_LENGTH), limit: 100 },
    },
  })
  return { data: data?.seats.find(({ userId }) => userId === profile.id) }
}

/** The license of the signed-in user. */
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
              {perSeat ? text.yours.since(formatDate(license.assignedAt)) : text.yours.everyone}
            </Text>
          )}
          {license === null && (
            <Text size="sm">
              {text.yours.none} {perSeat && <HowToGetLicense />}
            </Text>
          )}
        </Stack>
      </Group>
    </Paper>
  )
}

/** How to get a license: owners and admins can assign it, members see whom to ask. */
function HowToGetLicense() {
  const tenant = useTenant()
  const toInput = (role: 'owner' | 'admin') => ({
    input: { path: { id: tenant.id }, query: { role, status: 'ACTIVE' as const, limit: 3 } },
    enabled: !tenant.canManage,
  })
  const owners = useApiQuery('GET /api/tenants/{id}/members', toInput('owner'))
  const admins = useApiQuery('GET /api/tenants/{id}/members', toInput('admin'))
  if (tenant.canManage) return text.yours.canManage
  const contacts = [...(admins.data?.members ?? []), ...(owners.data?.members ?? [])].slice(0, 3)
  if (contacts.length === 0) return text.yours.ask
  return text.yours.askThem(formatList(contacts.map(({ user }) => user.displayName)))
}
