import { SimpleGrid, Text } from '@mantine/core'
import { useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { AddressSection } from './address.tsx'
import { ProfileForm } from './profile-form.tsx'

export const ProfilePage = () => (
  <Page title={account.profile.title} lead={account.profile.lead}>
    <AddressSection />
    <ManagedSection />
    <ProfileForm />
  </Page>
)

const MANAGED_FIELDS = ['username', 'phone'] as const

/** Fields that only an administrator can change. Hidden if all are empty. */
function ManagedSection() {
  const { profile } = useMe()
  const { managed } = account.profile
  const fields = MANAGED_FIELDS.flatMap((field) => {
    const value = profile[field]
    return value === null ? [] : [{ field, value }]
  })
  if (fields.length === 0) return null
  return (
    <Section title={managed.title} lead={managed.lead}>
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} m={0} spacing="sm">
        {fields.map(({ field, value }) => (
          <div key={field}>
            <Text component="dt" size="sm" c="dimmed">
              {managed[field]}
            </Text>
            <Text component="dd" m={0}>
              {value}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Section>
  )
}
