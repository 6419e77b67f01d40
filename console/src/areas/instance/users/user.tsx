import { Alert, Anchor, Stack } from '@mantine/core'
import { Link } from 'wouter'
import { useApiQuery } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { users as text } from '../../../text/users.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { AuditLink } from '../kit/audit-link.tsx'
import { DetailPage } from '../kit/detail-page.tsx'
import { UserAccess } from './access.tsx'
import { UserConsents } from './consents.tsx'
import { UserDangerZone } from './danger-zone.tsx'
import { UserFacts } from './facts.tsx'
import { UserMemberships } from './memberships.tsx'
import { UserNames } from './names.tsx'
import { PendingDeletionBanner } from './pending-deletion-banner.tsx'
import { UserSecurity } from './security.tsx'
import type { UserDetails } from './types.ts'
import { UserStatusBadges } from './user-status-badges.tsx'

/** The page of one user. */
export function UserPage({ id }: { id: string }) {
  const query = useApiQuery('GET /api/admin/users/{id}', { input: { path: { id } } })
  return (
    <DetailPage query={query} title={text.one}>
      {(user) => <UserSections user={user} />}
    </DetailPage>
  )
}

function UserSections({ user }: { user: UserDetails }) {
  const isSelf = useMe().profile.id === user.id
  return (
    <Page
      title={user.displayName}
      back={{ href: '/users', label: text.all }}
      badges={<UserStatusBadges user={user} />}
      lead={user.email}
      actions={<AuditLink href={`/audit?userId=${user.id}`} label={text.audit} />}
    >
      <Stack gap="lg">
        {user.deletionRequestedAt !== null && <PendingDeletionBanner user={user} />}
        {user.disabled && (
          <Alert color="red" icon={<Icon name="warning" />} title={text.disabledBanner.title}>
            {text.disabledBanner.text}
          </Alert>
        )}
        {isSelf && (
          <Alert icon={<Icon name="info" />} title={text.self.title}>
            {text.self.text}{' '}
            <Anchor component={Link} href="~/console/account/security" size="sm" underline="always">
              {text.self.link}
            </Anchor>
          </Alert>
        )}
        <UserFacts user={user} />
        <UserMemberships memberships={user.memberships} />
        <UserConsents id={user.id} />
        <UserNames key={user.updatedAt} user={user} />
        <UserAccess user={user} isSelf={isSelf} />
        {!isSelf && <UserSecurity user={user} />}
        {!isSelf && user.deletionRequestedAt === null && <UserDangerZone user={user} />}
      </Stack>
    </Page>
  )
}
