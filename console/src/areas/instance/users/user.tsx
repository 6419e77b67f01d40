import { Alert, Anchor, Stack } from '@mantine/core'
import type { Reply } from 'latchkey-sdk'
import { Link } from 'wouter'
import { useRead } from '../../../api/use-api.ts'
import { useMe } from '../../../me.tsx'
import { people as text } from '../../../text/people.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { AuditLink } from '../kit/audit-link.tsx'
import { Found } from '../kit/found.tsx'
import { UserAccess } from './access.tsx'
import { UserDanger } from './danger.tsx'
import { UserFacts } from './facts.tsx'
import { LeavingUser } from './leaving.tsx'
import { UserMemberships } from './memberships.tsx'
import { UserNames } from './names.tsx'
import { UserSecurity } from './security.tsx'
import { UserStates } from './states.tsx'

export type UserDetails = Reply<'GET /api/admin/users/{id}'>

/** One account, for those who run the instance. */
export function UserPlace({ id }: { id: string }) {
  const query = useRead('GET /api/admin/users/{id}', { input: { path: { id } } })
  return (
    <Found query={query} title={text.one}>
      {(user) => <Shown user={user} />}
    </Found>
  )
}

function Shown({ user }: { user: UserDetails }) {
  const isSelf = useMe().profile.id === user.id
  return (
    <Page
      title={user.displayName}
      back={{ href: '/users', label: text.all }}
      badges={<UserStates user={user} />}
      lead={user.email}
      actions={<AuditLink href={`/audit?userId=${user.id}`} label={text.audit} />}
    >
      <Stack gap="lg">
        {user.deletionRequestedAt !== null && <LeavingUser user={user} />}
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
        <UserNames key={user.updatedAt} user={user} />
        <UserAccess user={user} isSelf={isSelf} />
        {!isSelf && <UserSecurity user={user} />}
        {!isSelf && user.deletionRequestedAt === null && <UserDanger user={user} />}
      </Stack>
    </Page>
  )
}
