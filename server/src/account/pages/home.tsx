import type { Ctx } from '../../context.ts'
import { resendVerification } from '../../sessions/resend-verification.ts'
import { listMembershipsOf } from '../../tenants/service.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

/** The landing page after a sign-in without an application. */
export const homePages = defineAccountPage({
  path: '/account',
  show: (ctx, input) => showHome(ctx, input, false),
  submit: resendMail,
})

async function resendMail(ctx: Ctx, input: AccountPageInput) {
  await resendVerification(ctx, await getCurrentUser(ctx, input.caller))
  return showHome(ctx, input, true)
}

async function showHome(ctx: Ctx, input: AccountPageInput, mailed: boolean) {
  const memberships = await listMembershipsOf(ctx.db, input.caller.userId, ctx.now())
  const tenants = memberships.filter(({ status }) => status === 'ACTIVE').map(({ tenantName }) => tenantName)
  const hasProviders = ctx.config.sso.length > 0
  const { session, csrf } = input
  const props = { session, csrf, tenants, hasProviders, mailed }
  return { html: render(<HomePage {...props} />) }
}

interface HomePageProps extends Pick<AccountPageInput, 'session' | 'csrf'> {
  /** The names of the tenants with an active membership. */
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
      <Row path="/account/security" name="Second factors and passkeys" />
      <Row path="/account/password" name="Password" />
      <Row path="/account/email" name="Email address" />
      <Row path="/account/sessions" name="Where you are signed in" />
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
