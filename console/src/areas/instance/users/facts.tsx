import { people } from '../../../text/people.ts'
import { Copyable } from '../../../ui/copy.tsx'
import { Section } from '../../../ui/section.tsx'
import { Moment } from '../../../ui/time.tsx'
import { Facts } from '../kit/facts.tsx'
import type { UserDetails } from './user.tsx'

const text = people.facts

export const UserFacts = ({ user }: { user: UserDetails }) => (
  <Section title={text.title}>
    <Facts
      facts={[
        [text.id, <Copyable key="id" value={user.id} />],
        [text.email, `${user.email}, ${user.emailVerified ? text.confirmed : text.unconfirmed}`],
        [text.sessions, text.sessionCount(user.sessionCount)],
        [text.password, text.hasPassword[`${user.hasPassword}`]],
        [text.mfa, text.hasMfa[`${user.mfaEnabled}`]],
        [text.lastSignIn, <Moment key="signIn" at={user.lastSignInAt} />],
        [text.created, <Moment key="created" at={user.createdAt} />],
      ]}
    />
  </Section>
)
