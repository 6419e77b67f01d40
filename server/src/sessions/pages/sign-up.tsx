import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import type { Fields } from '../../lib/fields.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { findLoginBrand } from '../brand.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { register } from '../sign-up.ts'

export const signUpPages = [
  definePage({
    method: 'GET',
    path: '/signup',
    handler: (ctx, input) => showSignUp(ctx, input, readLoginTransaction(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/signup',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      try {
        const { email } = await register(ctx, readForm(input.form), input.request)
        const signIn = pageUrl(ctx, '/login', login && { ...login, loginHint: email })
        const brand = await findLoginBrand(ctx, login)
        return { html: render(<CheckMailPage email={email} signIn={signIn} />, brand) }
      } catch (error) {
        return showSignUp(ctx, input, login, toPageProblem(error, input.reply))
      }
    },
  }),
]

const MAX_NAME_LENGTH = 100

function readForm(form: Fields) {
  const name = (field: string) => form.get(field)?.trim().slice(0, MAX_NAME_LENGTH) || undefined
  return {
    email: form.get('email')?.trim() ?? '',
    password: form.get('password') ?? '',
    givenName: name('givenName'),
    familyName: name('familyName'),
  }
}

async function showSignUp(
  ctx: Ctx,
  input: PageInput,
  login: LoginTransaction | undefined,
  problem?: PageProblem,
): Promise<PageResult> {
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    html: render(
      <SignUpPage
        action={pageUrl(ctx, '/signup', login)}
        signIn={pageUrl(ctx, '/login', login)}
        csrf={createCsrfToken(ctx, input.request, input.reply)}
        form={input.form}
        loginHint={login?.loginHint}
        problem={problem?.message}
      />,
      await findLoginBrand(ctx, login),
    ),
  }
}

interface SignUpPageProps {
  action: string
  signIn: string
  csrf: string
  form: Fields
  loginHint: string | undefined
  problem: string | undefined
}

const SignUpPage = ({ action, signIn, csrf, form, loginHint, problem }: SignUpPageProps) => (
  <Layout title="Create an account">
    <h1>Create an account</h1>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <Field
        label="Given name"
        name="givenName"
        type="text"
        autocomplete="given-name"
        value={form.get('givenName')}
        optional
      />
      <Field
        label="Family name"
        name="familyName"
        type="text"
        autocomplete="family-name"
        value={form.get('familyName')}
        optional
      />
      <Field
        label="Email address"
        name="email"
        type="email"
        autocomplete="username"
        value={form.get('email') ?? loginHint}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autocomplete="new-password"
        hint="At least 8 characters. A few words that only you would put together are best."
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">Create account</button>
    </Form>
    <p class="links">
      <a href={signIn}>I have an account already</a>
    </p>
  </Layout>
)

const CheckMailPage = ({ email, signIn }: { email: string; signIn: string }) => (
  <Layout title="Check your mailbox">
    <h1>Check your mailbox</h1>
    <p role="status">
      We have sent a mail to <strong>{email}</strong>. Follow its link to confirm that the address is yours.
    </p>
    <p>
      <a class="button" href={signIn}>
        Sign in
      </a>
    </p>
  </Layout>
)
