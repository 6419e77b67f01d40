import { Anchor, Text } from '@mantine/core'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { account } from '../../text/account.ts'
import { NotFound } from '../../ui/not-found.tsx'
import { DataPage } from './data/data.tsx'
import { ProfilePage } from './profile/profile.tsx'
import { SecurityPage } from './security/security.tsx'
import { SessionsPage } from './sessions.tsx'

/** The hosted pages at /account have the same sections, and work without JavaScript. */
export const AccountArea = () => (
  <>
    <AccountRoutes />
    <HostedPageLink />
  </>
)

const HOSTED_PAGES = ['profile', 'security', 'sessions', 'data']

function HostedPageLink() {
  const [location] = useLocation()
  const page = HOSTED_PAGES.find((name) => location === `/${name}`)
  if (page === undefined) return null
  return (
    <Text size="sm" c="dimmed" mt="xl">
      {account.withoutScript(<Anchor href={`/account/${page}`} underline="always">{`/account/${page}`}</Anchor>)}
    </Text>
  )
}

const AccountRoutes = () => (
  <Switch>
    <Route path="/">
      <Redirect to="/profile" replace />
    </Route>
    <Route path="/profile" component={ProfilePage} />
    <Route path="/security" component={SecurityPage} />
    <Route path="/sessions" component={SessionsPage} />
    <Route path="/data" component={DataPage} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
