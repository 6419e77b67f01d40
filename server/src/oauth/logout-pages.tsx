import { findBrand } from '../branding/brands.ts'
import type { Ctx } from '../context.ts'
import { comeAgainByGet } from '../http/come-again.ts'
import { csrfToken, requireCsrf } from '../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../http/define-route.ts'
import type { Fields } from '../lib/fields.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { signOut } from '../sessions/browser-session.ts'
import { Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { logOut } from './logout.ts'

const CONFIRM_PATH = '/api/oauth/logout/confirm'
/** The address we found good when the page was made: nobody can put another in its place. */
const RETURN_PURPOSE = 'logout-return'

export const logoutPages = [
  definePage({
    method: 'GET',
    path: '/api/oauth/logout',
    handler: (ctx, input) => answerLogout(ctx, input, input.query),
  }),
  definePage({
    method: 'POST',
    path: '/api/oauth/logout',
    handler: (ctx, input) => comeAgainByGet(input) ?? answerLogout(ctx, input, input.form),
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

async function answerLogout(ctx: Ctx, input: PageInput, fields: Fields): Promise<PageAnswer> {
  const outcome = await logOut(ctx, input, fields)
  if (outcome.kind === 'redirect') return { redirect: outcome.to }
  const { clientId, isAddressRefused } = outcome
  const brand = await findBrand(ctx, { clientId })
  if (outcome.kind === 'out') {
    return { html: render(isAddressRefused ? <RefusedAddressPage /> : <SignedOutPage />, brand) }
  }
  const csrf = csrfToken(ctx, input.request, input.reply)
  const returnTo = outcome.returnTo && sealText(ctx.keys, RETURN_PURPOSE, outcome.returnTo)
  const props = { email: outcome.session.email, csrf, returnTo, clientId, isAddressRefused }
  return { html: render(<ConfirmPage {...props} />, brand) }
}

interface ConfirmPageProps {
  email: string
  csrf: string
  returnTo: string | undefined
  clientId: string | undefined
  isAddressRefused: boolean
}

const ConfirmPage = ({ email, csrf, returnTo, clientId, isAddressRefused }: ConfirmPageProps) => (
  <Layout title="Sign out">
    <h1>Sign out?</h1>
    {isAddressRefused && <RefusedAddress />}
    <p>
      You are signed in as <strong>{email}</strong>. Signing out ends this session in every application.
    </p>
    <Form action={CONFIRM_PATH} csrf={csrf}>
      {returnTo !== undefined && <input type="hidden" name="return" value={returnTo} />}
      {clientId !== undefined && <input type="hidden" name="client" value={clientId} />}
      <p class="actions">
        <button type="submit">Sign out</button>
        <a class="button second" href="/account">
          Stay
        </a>
      </p>
    </Form>
  </Layout>
)

/** The address itself is not shown: whoever made the link may have chosen it to be read. */
const RefusedAddress = () => (
  <p role="alert">
    The application asked us to lead you to an address that is not registered for it. We do not go there.
  </p>
)

const RefusedAddressPage = () => (
  <Layout title="Address not registered">
    <h1>You cannot be led back</h1>
    <RefusedAddress />
    <p>You are signed out.</p>
    <p class="quiet">
      For whoever runs the application: <code>post_logout_redirect_uri</code> must be one of the addresses
      that the client has registered, character by character.
    </p>
    <p>
      <a href="/login">Sign in again</a>
    </p>
  </Layout>
)

const SignedOutPage = ({ returnTo }: { returnTo?: string | undefined }) => (
  <Layout title="Signed out">
    <h1>You are signed out</h1>
    <p role="status">Your session has ended.</p>
    <p>
      {returnTo === undefined ? (
        <a href="/login">Sign in again</a>
      ) : (
        <a href={returnTo}>Back to the application</a>
      )}
    </p>
  </Layout>
)
