import { Redirect, Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'
import { DataPage } from './data/data.tsx'
import { ProfilePage } from './profile/profile.tsx'
import { SecurityPage } from './security/security.tsx'
import { SessionsPage } from './sessions.tsx'

export const AccountArea = () => (
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
