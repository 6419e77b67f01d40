import { users } from '../../../text/users.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { Section } from '../../../ui/section.tsx'
import { RelativeTime } from '../../../ui/time.tsx'
import { Facts } from '../kit/facts.tsx'
import type { UserDetails } from './types.ts'

const text = users.facts

export const UserFacts = ({ user }: { user: UserDetails }) => (
  <Section title={text.title}>
    <Facts
      facts={[
        [text.id, <Copyable key="id" value={user.id} />],
        [text.email, user.emailVerified ? text.confirmed(user.email) : text.unconfirmed(user.email)],
        [text.sessions, text.sessionCount(user.sessionCount)],
        [text.password, text.hasPassword[`${user.hasPassword}`]],
        [text.mfa, text.hasMfa[`${user.mfaEnabled}`]],
        [text.lastSignIn, <RelativeTime key="signIn" at={user.lastSignInAt} />],
        [text.created, <RelativeTime key="created" at={user.createdAt} />],
      ]}
    />
  </Section>
)
