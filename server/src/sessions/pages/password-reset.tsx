import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { findLoginBrand, findUrlBrand, urlWithClient } from '../brand.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { requestPasswordReset, resetPassword } from '../password-reset.ts'

export const passwordResetPages = [
  definePage({
    method: 'GET',
    path: '/forgot-password',
    handler: (ctx, input) => showForgot(ctx, input, readLoginTransaction(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/forgot-password',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      try {
        const email = input.form.get('email') ?? ''
        await requestPasswordReset(ctx, { email, request: input.request, login })
        const brand = await findLoginBrand(ctx, login)
        return { html: render(<MailedPage signIn={pageUrl(ctx, '/login', login)} />, brand) }
      } catch (error) {
        return showForgot(ctx, input, login, toPageProblem(error, input.reply))
      }
    },
  }),
  definePage({
    method: 'GET',
    path: '/reset-password',
    handler: (ctx, input) => showReset(ctx, input, input.query.get('token') ?? ''),
  }),
  definePage({
    method: 'POST',
    path: '/reset-password',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const token = input.form.get('token') ?? ''
      try {
        const newPassword = input.form.get('newPassword') ?? ''
        await resetPassword(ctx, { token, newPassword, request: input.request })
        return { html: render(<ResetPage />, await findUrlBrand(ctx, input.query)) }
      } catch (error) {
        return showReset(ctx, input, token, toPageProblem(error, input.reply))
      }
    },
  }),
]

async function showForgot(
  ctx: Ctx,
  input: PageInput,
  login: LoginTransaction | undefined,
  problem?: PageProblem,
): Promise<PageResult> {
  return {
    status: problem?.status ?? 200,
    html: render(
      <ForgotPage
        action={pageUrl(ctx, '/forgot-password', login)}
        signIn={pageUrl(ctx, '/login', login)}
        csrf={createCsrfToken(ctx, input.request, input.reply)}
        email={input.form.get('email') ?? login?.loginHint}
        problem={problem?.message}
      />,
      await findLoginBrand(ctx, login),
    ),
  }
}

async function showReset(ctx: Ctx, input: PageInput, token: string, problem?: PageProblem): Promise<PageResult> {
  const csrf = createCsrfToken(ctx, input.request, input.reply)
  const action = urlWithClient('/reset-password', {}, input.query.get('client_id'))
  return {
    status: problem?.status ?? 200,
    html: render(
      <ChoosePage action={action} token={token} csrf={csrf} problem={problem?.message} />,
      await findUrlBrand(ctx, input.query),
    ),
  }
}

interface ForgotPageProps {
  action: string
  signIn: string
  csrf: string
  email: string | undefined
  problem: string | undefined
}

const ForgotPage = ({ action, signIn, csrf, email, problem }: ForgotPageProps) => (
  <Layout title="Forgot your password">
    <h1>Forgot your password?</h1>
    <p>Tell us your email address, and we send you a link to choose a new one.</p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <Field
        label="Email address"
        name="email"
        type="email"
        autocomplete="username"
        value={email}
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">Send the link</button>
    </Form>
    <p class="links">
      <a href={signIn}>Back to sign-in</a>
    </p>
  </Layout>
)

const MailedPage = ({ signIn }: { signIn: string }) => (
  <Layout title="Check your mailbox">
    <h1>Check your mailbox</h1>
    <p role="status">
      If there is an account with this address, a mail is on its way. Its link works once, for a short time.
    </p>
    <p class="links">
      <a href={signIn}>Back to sign-in</a>
    </p>
  </Layout>
)

interface ChoosePageProps {
  action: string
  token: string
  csrf: string
  problem: string | undefined
}

const ChoosePage = ({ action, token, csrf, problem }: ChoosePageProps) => (
  <Layout title="Choose a new password">
    <h1>Choose a new password</h1>
    <p>All your devices will be signed out.</p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="token" value={token} />
      <Field
        label="New password"
        name="newPassword"
        type="password"
        autocomplete="new-password"
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">Set the password</button>
    </Form>
    <p class="links">
      <a href="/forgot-password">Ask for a new link</a>
    </p>
  </Layout>
)

const ResetPage = () => (
  <Layout title="Password set">
    <h1>Done</h1>
    <p role="status">Your new password is set, and every device was signed out.</p>
    <p>
      <a class="button" href="/login">
        Sign in
      </a>
    </p>
  </Layout>
)
