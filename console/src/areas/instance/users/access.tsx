import { Stack, Switch } from '@mantine/core'
import { users } from '../../../text/users.ts'
import { useConfirm } from '../../../ui/confirm.tsx'
import { Section } from '../../../ui/section.tsx'
import type { UserDetails } from './types.ts'
import { useUserChange } from './use-user-change.ts'

const text = users.access

/** The permissions and sign-in methods of an account. */
export function UserAccess({ user, isSelf }: { user: UserDetails; isSelf: boolean }) {
  const { id, displayName: name, email } = user
  const [dialog, ask] = useConfirm()
  const { changeFlags } = useUserChange(id)
  const changeNow = (...parameters: Parameters<typeof changeFlags>) => void changeFlags(...parameters).catch(() => {})
  const setSuperAdmin = (value: boolean) => {
    const { promote, demoted, demoteSelf } = text
    if (value) {
      return ask({ title: promote.question(name), text: promote.text, action: promote.action }, () =>
        changeFlags({ superAdmin: true }, promote.done(name)),
      )
    }
    if (!isSelf) return changeNow({ superAdmin: false }, demoted(name), { superAdmin: true })
    ask({ title: demoteSelf.question, text: demoteSelf.text, action: demoteSelf.action }, () =>
      changeFlags({ superAdmin: false }, demoted(name)),
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
            changeNow({ passwordSignIn: checked }, checked ? text.passwordOn(name) : text.passwordOff(name), {
              passwordSignIn: !checked,
            })
          }
        />
        <Switch
          label={text.emailVerified}
          description={text.emailVerifiedHint}
          checked={user.emailVerified}
          onChange={({ currentTarget: { checked } }) =>
            changeNow({ emailVerified: checked }, checked ? text.emailOn(email) : text.emailOff(email))
          }
        />
      </Stack>
      {dialog}
    </Section>
  )
}
