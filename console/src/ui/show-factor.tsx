import { Anchor, Button, Group } from '@mantine/core'
import { tenantIn } from '../session/arrive.ts'
import { signIn } from '../session/session.ts'
import { shell } from '../text/shell.ts'

/** The way on for whoever must show a second factor first. */
export function ShowFactor() {
  const { pathname, search } = window.location
  const tenant = tenantIn(pathname)
  // On the way into a tenant the sign-in pages ask for the factor, or set one up. For the instance one is set up first.
  const go = () => void signIn(pathname + search, tenant === undefined ? { again: true } : { tenant })
  return (
    <Group gap="sm">
      <Button size="compact-sm" variant="light" onClick={go}>
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
