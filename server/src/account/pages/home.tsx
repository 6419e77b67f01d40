import type { Ctx } from '../../context.ts'
import { resendVerification } from '../../sessions/resend-verification.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { getSelf } from '../confirm-identity.ts'
import { listMembershipsOf } from '../profile/store.ts'
import { accountPage, type Visit } from './account-page.tsx'

/** Where everybody arrives who is not on the way to an application. */
export const homePages = accountPage({
  path: '/account',
  show: (ctx, visit) => showHome(ctx, visit, false),
  act: sendMailAgain,
})

async function sendMailAgain(ctx: Ctx, visit: Visit) {
  await resendVerification(ctx, await getSelf(ctx, visit.caller))
  return showHome(ctx, visit, true)
}

async function showHome(ctx: Ctx, visit: Visit, mailed: boolean) {
  const memberships = await listMembershipsOf(ctx.db, visit.caller.userId, ctx.now())
  const tenants = memberships.filter(({ status }) => status === 'ACTIVE').map(({ tenantName }) => tenantName)
  const hasProviders = ctx.config.sso.length > 0
  return { html: render(<HomePage {...visit} {...{ tenants, hasProviders, mailed }} />) }
}

interface HomePageProps extends Pick<Visit, 'session' | 'csrf'> {
  /** Of which they are members, by name. */
  tenants: string[]
  hasProviders: boolean
  mailed: boolean
}

const HomePage = ({ session, csrf, tenants, hasProviders, mailed }: HomePageProps) => (
  <Layout title="Your account">
    <h1>Hello {session.displayName}</h1>
    <p>
      You are signed in as <strong>{session.email}</strong>.
    </p>
    {tenants.length > 0 && <p class="quiet">Member of {tenants.join(', ')}</p>}
    {!session.emailVerified && (
      <Form action="/account" csrf={csrf}>
        <p role="status">
          {mailed
            ? 'A mail with a link is on its way.'
            : 'This address is not confirmed yet: follow the link in the mail we sent you.'}
        </p>
        {!mailed && (
          <button type="submit" class="second">
            Send the mail again
          </button>
        )}
      </Form>
    )}
    <ul class="rows">
      <Row path="/account/profile" name="Profile" />
      <Row path="/account/security" name="Second step and passkeys" />
      <Row path="/account/password" name="Password" />
      <Row path="/account/email" name="E-mail address" />
      <Row path="/account/sessions" name="Devices" />
      {hasProviders && <Row path="/account/connections" name="Linked accounts" />}
      <li>
        <div>Your data</div>
        <a href="/api/users/me/export" download>
          Download
        </a>
      </li>
      <Row path="/account/delete" name="Delete your account" />
    </ul>
    <Form action="/logout" csrf={csrf}>
      <button type="submit" class="second">
        Sign out
      </button>
    </Form>
  </Layout>
)

const Row = ({ path, name }: { path: string; name: string }) => (
  <li>
    <a href={path}>{name}</a>
  </li>
)
