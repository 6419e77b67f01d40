import { findBrand } from '../branding/find-brand.ts'
import type { Ctx } from '../context.ts'
import { createCsrfToken, requireCsrf } from '../http/request/csrf.ts'
import { redirectToGet } from '../http/request/redirect-to-get.ts'
import { definePage, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import type { Fields } from '../lib/fields.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { signOut } from '../sessions/browser-session.ts'
import { Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { rich } from '../ui/rich-text.ts'
import { logOut } from './logout.ts'

const CONFIRM_PATH = '/api/oauth/logout/confirm'
/** The return URL is encrypted, so that nobody can replace it. */
const RETURN_PURPOSE = 'logout-return'

export const logoutPages = [
  definePage({
    method: 'GET',
    path: '/api/oauth/logout',
    allowsSupport: true,
    handler: (ctx, input) => showLogout(ctx, input, input.query),
  }),
  definePage({
    method: 'POST',
    path: '/api/oauth/logout',
    allowsSupport: true,
    handler: (ctx, input) => redirectToGet(input) ?? showLogout(ctx, input, input.form),
  }),
  definePage({
    method: 'POST',
    path: CONFIRM_PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      await signOut(ctx, input)
      const returnTo = unsealText(ctx.keys, RETURN_PURPOSE, input.form.get('return'))
      const brand = await findBrand(ctx, { clientId: input.form.get('client') })
      return { html: render(<SignedOutPage returnTo={returnTo} />, brand) }
    },
  }),
]

async function showLogout(ctx: Ctx, input: PageInput, fields: Fields): Promise<PageResult> {
  const outcome = await logOut(ctx, input, fields)
  if (outcome.kind === 'redirect') return { redirect: outcome.to }
  const { clientId, isReturnRefused } = outcome
  const brand = await findBrand(ctx, { clientId })
  if (outcome.kind === 'out') {
    return { html: render(isReturnRefused ? <ReturnRefusedPage /> : <SignedOutPage />, brand) }
  }
  const csrf = createCsrfToken(ctx, input.request, input.reply)
  const returnTo = outcome.returnTo && sealText(ctx.keys, RETURN_PURPOSE, outcome.returnTo)
  const props = { email: outcome.session.email, csrf, returnTo, clientId, isReturnRefused }
  return { html: render(<ConfirmPage {...props} />, brand) }
}

interface ConfirmPageProps {
  email: string
  csrf: string
  returnTo: string | undefined
  clientId: string | undefined
  isReturnRefused: boolean
}

const ConfirmPage = ({ email, csrf, returnTo, clientId, isReturnRefused }: ConfirmPageProps) => (
  <Layout title={t('Sign out')}>
    <h1>{t('Sign out?')}</h1>
    {isReturnRefused && <ReturnRefused />}
    <p>
      {rich('You are signed in as <b>{email}</b>. Signing out ends this session in every application.', {
        email,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    <Form action={CONFIRM_PATH} csrf={csrf}>
      {returnTo !== undefined && <input type="hidden" name="return" value={returnTo} />}
      {clientId !== undefined && <input type="hidden" name="client" value={clientId} />}
      <p class="actions">
        <button type="submit">{t('Sign out')}</button>
        <a class="button second" href="/account">
          {t('Stay')}
        </a>
      </p>
    </Form>
  </Layout>
)

/** The URL is not shown: an attacker may have chosen its text. */
const ReturnRefused = () => (
  <p role="alert">
    {t('The application asked us to send you to an address that is not registered for it, so we did not.')}
  </p>
)

const ReturnRefusedPage = () => (
  <Layout title={t('Address not registered')}>
    <h1>{t('You cannot return to the application')}</h1>
    <ReturnRefused />
    <p>{t('You are signed out.')}</p>
    <p class="quiet">
      {rich(
        'For the administrator of the application: <code>post_logout_redirect_uri</code> must be one of the addresses that the client has registered, character by character.',
        { code: (text) => <code>{text}</code> },
      )}
    </p>
    <p>
      <a href="/login">{t('Sign in again')}</a>
    </p>
  </Layout>
)

const SignedOutPage = ({ returnTo }: { returnTo?: string | undefined }) => (
  <Layout title={t('Signed out')}>
    <h1>{t('You are signed out')}</h1>
    <p role="status">{t('Your session has ended.')}</p>
    <p>
      {returnTo === undefined ? (
        <a href="/login">{t('Sign in again')}</a>
      ) : (
        <a href={returnTo}>{t('Back to the application')}</a>
      )}
    </p>
  </Layout>
)
