import { useMe } from '../../me.tsx'
import { account } from '../../text/account.ts'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'

export function ProfilePlace() {
  const { profile } = useMe()
  return (
    <Page title={account.profile.title} lead={account.profile.lead}>
      <Section title={profile.displayName}>{profile.email}</Section>
    </Page>
  )
}
