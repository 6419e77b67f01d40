import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { toListText } from '../../languages/lists.ts'
import { t } from '../../languages/translate.ts'
import { resendVerificationOnPage, secondsUntilVerification } from '../../sessions/resend-verification.ts'
import { listMembershipsOf } from '../../tenants/service.ts'
import { Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { ResendButton } from '../../ui/resend-button.tsx'
import { rich } from '../../ui/rich-text.ts'
import { waitingScript } from '../../ui/scripts.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

/** The landing page after a sign-in without an application. */
export const homePages = defineAccountPage({
  path: '/account',
  show: (ctx, input, problem) => showHome(ctx, input, { problem }),
  submit: resendMail,
})

async function resendMail(ctx: Ctx, input: AccountPageInput) {
  await resendVerificationOnPage(ctx, await getCurrentUser(ctx, input.caller))
  return showHome(ctx, input, { isMailed: true })
}

interface Resend {
  problem?: PageProblem | undefined
  /** The mail that confirms the address was sent just now. */
  isMailed?: boolean
}

async function showHome(ctx: Ctx, input: AccountPageInput, resend: Resend) {
  const memberships = await listMembershipsOf(ctx.db, input.caller.userId, ctx.now())
  const tenants = memberships.filter(({ status }) => status === 'ACTIVE').map(({ tenantName }) => tenantName)
  const { session, csrf } = input
  const props = { session, csrf, tenants, ...resend, seconds: await findSeconds(ctx, input) }
  return { html: render(<HomePage {...props} />) }
}

/** The seconds until the person may ask for another mail that confirms the address. */
async function findSeconds(ctx: Ctx, { session, caller }: AccountPageInput): Promise<number> {
  return session.emailVerified ? 0 : secondsUntilVerification(ctx, ctx.db, await getCurrentUser(ctx, caller))
}

interface HomePageProps extends Pick<AccountPageInput, 'session' | 'csrf'>, Resend {
  /** The names of the tenants with an active membership. */
  tenants: string[]
  seconds: number
}

const HomePage = ({ session, csrf, tenants, seconds, problem, isMailed }: HomePageProps) => (
  <Layout title={t('My account')}>
    <h1>{t('Hello {name}', { name: session.displayName })}</h1>
    <p>
      {rich('You are signed in as <b>{email}</b>.', {
        email: session.email,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    {tenants.length > 0 && <p class="quiet">{t('Member of {tenants}', { tenants: toListText(tenants) })}</p>}
    {!session.emailVerified && (
      <Form action="/account" csrf={csrf}>
        <p role="status" data-waiting="/account">
          {isMailed
            ? t('A mail with a link is on its way.')
            : t('This address is not confirmed yet: follow the link in the mail we sent you.')}
        </p>
        <Problem message={problem?.message} />
        <ResendButton seconds={seconds} />
        <script type="module" src={waitingScript.path} />
      </Form>
    )}
    <nav aria-label={t('My account')}>
      <ul class="choices">
        <Choice
          path="/account/profile"
          name={t('Profile')}
          text={t('What applications and your colleagues see of you')}
        />
        <Choice
          path="/account/security"
          name={t('Sign-in & security')}
          text={t('Password, second step, passkeys, linked accounts')}
        />
        <Choice path="/account/sessions" name={t('Sessions')} text={t('Where you are signed in')} />
        <Choice
          path="/account/data"
          name={t('Data & deletion')}
          text={t('Third-party applications, your data, and the end of your account')}
        />
      </ul>
    </nav>
    <Form action="/logout" csrf={csrf}>
      <button type="submit" class="second">
        {t('Sign out')}
      </button>
    </Form>
    <p class="links">
      <a href="/console/account/profile">{t('Open in the console')}</a>
    </p>
  </Layout>
)

/** The whole row is clickable; the name of the link is its first line only. */
const Choice = ({ path, name, text }: { path: string; name: string; text: string }) => (
  <li class="button choice">
    <a class="subject" href={path}>
      {name}
    </a>
    <span class="quiet">{text}</span>
  </li>
)
