import { Anchor, Button, Group } from '@mantine/core'
import { findTenantSlug } from '../session/ensure-signed-in.ts'
import { signIn } from '../session/session.ts'
import { shell } from '../text/shell.ts'

/** Buttons to sign in with a second factor, or to set one up. */
export function SecondFactorPrompt() {
  const { pathname, search } = window.location
  const tenant = findTenantSlug(pathname)
  // Signing in to a tenant asks for the second factor or its setup. For the instance, it must be set up before.
  const signInWithFactor = () =>
    void signIn(pathname + search, tenant === undefined ? { forceLogin: true } : { tenant })
  return (
    <Group gap="sm">
      <Button size="compact-sm" variant="light" onClick={signInWithFactor}>
        {tenant === undefined ? shell.factor.signIn : shell.factor.show}
      </Button>
      {tenant === undefined && (
        <Anchor size="sm" c="inherit" underline="always" href="/console/account/security">
          {shell.factor.setUp}
        </Anchor>
      )}
    </Group>
  )
}
