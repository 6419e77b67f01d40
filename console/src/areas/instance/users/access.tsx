import { Stack, Switch } from '@mantine/core'
import { people } from '../../../text/people.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Section } from '../../../ui/section.tsx'
import { useUserChange } from './use-user-change.ts'
import type { UserDetails } from './user.tsx'

const text = people.access

/** What an account may do, and by which way it is entered. */
export function UserAccess({ user, isSelf }: { user: UserDetails; isSelf: boolean }) {
  const { id, displayName: name, email } = user
  const [dialog, ask] = useConfirm()
  const { turn } = useUserChange(id)
  const attempt = (...deed: Parameters<typeof turn>) => void turn(...deed).catch(() => {})
  const setSuperAdmin = (to: boolean) => {
    const { promote, demote } = text
    if (to) {
      return ask({ title: promote.question(name), text: promote.text, action: promote.action }, () =>
        turn({ superAdmin: true }, promote.done(name)),
      )
    }
    if (!isSelf) return attempt({ superAdmin: false }, demote.done(name), { superAdmin: true })
    ask({ title: demote.question, text: demote.text, action: demote.action }, () =>
      turn({ superAdmin: false }, demote.done(name)),
    )
  }
  return (
    <Section title={text.title}>
      <Stack>
        <Switch
          label={text.superAdmin}
          description={text.superAdminHint}
          checked={user.superAdmin}
          onChange={(event) => setSuperAdmin(event.currentTarget.checked)}
        />
        <Switch
          label={text.passwordSignIn}
          description={text.passwordSignInHint}
          checked={user.passwordSignIn}
          onChange={({ currentTarget: { checked } }) =>
            attempt({ passwordSignIn: checked }, checked ? text.passwordOn(name) : text.passwordOff(name), {
              passwordSignIn: !checked,
            })
          }
        />
        <Switch
          label={text.emailVerified}
          description={text.emailVerifiedHint}
          checked={user.emailVerified}
          onChange={({ currentTarget: { checked } }) =>
            attempt({ emailVerified: checked }, checked ? text.emailOn(email) : text.emailOff(email))
          }
        />
      </Stack>
      {dialog}
    </Section>
  )
}
