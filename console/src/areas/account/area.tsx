import { Redirect, Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'
import { DataPlace } from './data/data.tsx'
import { ProfilePlace } from './profile/profile.tsx'
import { SecurityPlace } from './security/security.tsx'
import { SessionsPlace } from './sessions/sessions.tsx'

/** One's own account. */
export const AccountArea = () => (
  <Switch>
    <Route path="/">
      <Redirect to="/profile" replace />
    </Route>
    <Route path="/profile" component={ProfilePlace} />
    <Route path="/security" component={SecurityPlace} />
    <Route path="/sessions" component={SessionsPlace} />
    <Route path="/data" component={DataPlace} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
