import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput } from '../../http/routing/define-route.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { PASSWORD_NEEDED } from '../mailed-links.ts'
import { verifyEmail } from '../sign-up.ts'

export const verifyEmailPages = [
  definePage({
    method: 'GET',
    path: '/verify-email',
    // Mail scanners follow links, so a GET must not use the link up.
    handler: (ctx, input) => showVerify(ctx, input, { token: input.query.get('token') ?? '' }),
  }),
  definePage({
    method: 'POST',
    path: '/verify-email',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const token = input.form.get('token') ?? ''
      try {
        const { request, form } = input
        await verifyEmail(ctx, { token, password: form.get('password'), request })
      } catch (error) {
        if (!(error instanceof AppError) || error.details !== PASSWORD_NEEDED) throw error
        return { status: error.status, ...showVerify(ctx, input, { token, problem: error.message }) }
      }
      return { html: render(<VerifiedPage />) }
    },
  }),
]

function showVerify(ctx: Ctx, input: PageInput, state: { token: string; problem?: string }) {
  const csrf = createCsrfToken(ctx, input.request, input.reply)
  return { html: render(<VerifyEmailPage csrf={csrf} {...state} />) }
}

const VerifyEmailPage = ({ token, csrf, problem }: { token: string; csrf: string; problem?: string }) => (
  <Layout title="Confirm your address">
    <h1>Confirm your address</h1>
    {problem === undefined ? (
      <p>Press the button to confirm that this email address is yours.</p>
    ) : (
      <Problem message={problem} />
    )}
    <Form action="/verify-email" csrf={csrf}>
      <input type="hidden" name="token" value={token} />
      {problem !== undefined && (
        <Field label="Password" name="password" type="password" autocomplete="current-password" describedBy="problem" />
      )}
      <button type="submit">Confirm</button>
    </Form>
  </Layout>
)

const VerifiedPage = () => (
  <Layout title="Address confirmed">
    <h1>Thank you</h1>
    <p role="status">Your email address is confirmed.</p>
    <p>
      <a class="button" href="/login">
        Sign in
      </a>
    </p>
  </Layout>
)
