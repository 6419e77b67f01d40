import { SimpleGrid, Text } from '@mantine/core'
import { useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { Page } from '../../../ui/page.tsx'
import { Section } from '../../../ui/section.tsx'
import { AddressSection } from './address.tsx'
import { ProfileForm } from './profile-form.tsx'

export const ProfilePlace = () => (
  <Page title={account.profile.title} lead={account.profile.lead}>
    <AddressSection />
    <KeptSection />
    <ProfileForm />
  </Page>
)

const KEPT = ['username', 'phone'] as const

/** What others wrote down about the person. Nothing where they wrote nothing. */
function KeptSection() {
  const { profile } = useMe()
  const { kept } = account.profile
  const told = KEPT.flatMap((field) => {
    const value = profile[field]
    return value === null ? [] : [{ field, value }]
  })
  if (told.length === 0) return null
  return (
    <Section title={kept.title} lead={kept.lead}>
      <SimpleGrid component="dl" cols={{ base: 1, xs: 2 }} m={0} spacing="sm">
        {told.map(({ field, value }) => (
          <div key={field}>
            <Text component="dt" size="sm" c="dimmed">
              {kept[field]}
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
