import { Redirect, Route, Switch } from 'wouter'
import { NotFound } from '../../ui/not-found.tsx'
import { ProfilePlace } from './profile.tsx'

/** One's own account. */
export const AccountArea = () => (
  <Switch>
    <Route path="/">
      <Redirect to="/profile" replace />
    </Route>
    <Route path="/profile" component={ProfilePlace} />
    <Route>
      <NotFound />
    </Route>
  </Switch>
)
