import { Alert, Button, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useMe } from '../../../me.tsx'
import { account } from '../../../text/account.ts'
import { security } from '../../../text/security.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { LinksSection } from './links.tsx'
import { PasskeysSection } from './passkeys.tsx'
import { PasswordSection } from './password.tsx'
import { TwoStepSection } from './two-step.tsx'

export function SecurityPage() {
  const { profile } = useMe()
  return (
    <Page title={security.title} lead={security.lead}>
      {!profile.emailVerified && <VerifyEmailFirst />}
      <PasswordSection />
      <TwoStepSection />
      <PasskeysSection />
      <LinksSection />
    </Page>
  )
}

/** Sign-in methods can only be added to accounts with a verified email address. */
const VerifyEmailFirst = () => {
  const { title, text, action } = account.confirmAddressFirst
  return (
    <Alert color="orange" icon={<Icon name="warning" />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        <Button component={Link} href="/profile" size="compact-sm" variant="default">
          {action}
        </Button>
      </Stack>
    </Alert>
  )
}
