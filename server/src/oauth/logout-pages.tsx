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
      return {
        html: render(
          <SignedOutPage returnTo={unsealText(ctx.keys, RETURN_PURPOSE, input.form.get('return'))} />,
        ),
      }
    },
  }),
]

async function answerLogout(ctx: Ctx, input: PageInput, fields: Fields): Promise<PageAnswer> {
  const outcome = await logOut(ctx, input, fields)
  if (outcome.kind === 'redirect') return { redirect: outcome.to }
  if (outcome.kind === 'out') return { html: render(<SignedOutPage returnTo={outcome.returnTo} />) }
  const csrf = csrfToken(ctx, input.request, input.reply)
  const sealed = outcome.returnTo && sealText(ctx.keys, RETURN_PURPOSE, outcome.returnTo)
  return { html: render(<ConfirmPage email={outcome.session.email} csrf={csrf} returnTo={sealed} />) }
}

const ConfirmPage = ({
  email,
  csrf,
  returnTo,
}: {
  email: string
  csrf: string
  returnTo: string | undefined
}) => (
  <Layout title="Sign out">
    <h1>Sign out?</h1>
    <p>
      You are signed in as <strong>{email}</strong>. Signing out ends this session in every application.
    </p>
    <Form action={CONFIRM_PATH} csrf={csrf}>
      {returnTo !== undefined && <input type="hidden" name="return" value={returnTo} />}
      <p class="actions">
        <button type="submit">Sign out</button>
        <a class="button second" href="/account">
          Stay
        </a>
      </p>
    </Form>
  </Layout>
)

const SignedOutPage = ({ returnTo }: { returnTo: string | undefined }) => (
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
