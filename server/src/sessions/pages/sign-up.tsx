import type { Ctx } from '../../context.ts'
import { csrfToken, requireCsrf } from '../../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../../http/define-route.ts'
import { type PageProblem, toPageProblem } from '../../http/page-problem.ts'
import type { Fields } from '../../lib/fields.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { brandOf } from '../brand.ts'
import { type Journey, openJourney, pageOf } from '../journey.ts'
import { register } from '../sign-up.ts'

export const signUpPages = [
  definePage({
    method: 'GET',
    path: '/signup',
    handler: (ctx, input) => showSignUp(ctx, input, openJourney(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/signup',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const journey = openJourney(ctx, input.query.get('journey'))
      try {
        const { email } = await register(ctx, readForm(input.form), input.request)
        const signIn = pageOf(ctx, '/login', journey && { ...journey, loginHint: email })
        const brand = await brandOf(ctx, journey)
        return { html: render(<CheckMailPage email={email} signIn={signIn} />, brand) }
      } catch (error) {
        return showSignUp(ctx, input, journey, toPageProblem(error, input.reply))
      }
    },
  }),
]

const LONGEST_NAME = 100

function readForm(form: Fields) {
  const name = (field: string) => form.get(field)?.trim().slice(0, LONGEST_NAME) || undefined
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
  journey: Journey | undefined,
  problem?: PageProblem,
): Promise<PageAnswer> {
  return {
    status: problem?.status ?? 200,
    formTargets: journey?.formTargets ?? [],
    html: render(
      <SignUpPage
        action={pageOf(ctx, '/signup', journey)}
        signIn={pageOf(ctx, '/login', journey)}
        csrf={csrfToken(ctx, input.request, input.reply)}
        form={input.form}
        loginHint={journey?.loginHint}
        problem={problem?.message}
      />,
      await brandOf(ctx, journey),
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
        label="E-mail address"
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
