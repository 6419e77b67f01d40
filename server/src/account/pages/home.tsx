import type { Ctx } from '../../context.ts'
import { resendVerification } from '../../sessions/resend-verification.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { getSelf } from '../confirm-identity.ts'
import { accountPage, type Visit } from './account-page.tsx'

/** Where everybody arrives who is not on the way to an application. */
export const homePages = accountPage({
  path: '/account',
  show: (ctx, visit) => ({ html: render(<HomePage {...visit} hasProviders={ctx.config.sso.length > 0} />) }),
  act: sendMailAgain,
})

async function sendMailAgain(ctx: Ctx, visit: Visit) {
  await resendVerification(ctx, await getSelf(ctx, visit.caller))
  return { html: render(<HomePage {...visit} hasProviders={ctx.config.sso.length > 0} mailed />) }
}

interface HomePageProps extends Pick<Visit, 'session' | 'csrf'> {
  hasProviders: boolean
  mailed?: boolean
}

const HomePage = ({ session, csrf, hasProviders, mailed = false }: HomePageProps) => (
  <Layout title="Your account">
    <h1>Hello {session.displayName}</h1>
    <p>
      You are signed in as <strong>{session.email}</strong>.
    </p>
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
