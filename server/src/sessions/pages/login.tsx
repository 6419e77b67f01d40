import { ssoPath } from '../../config/sso.ts'
import type { Ctx } from '../../context.ts'
import { csrfToken, requireCsrf } from '../../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../../http/define-route.ts'
import { type PageProblem, toPageProblem } from '../../http/page-problem.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { wayOn } from '../arrival.ts'
import { brandOf } from '../brand.ts'
import { findBrowserSession, signOut } from '../browser-session.ts'
import { type Journey, openJourney, pageOf } from '../journey.ts'
import { signIn } from '../sign-in.ts'

export const loginPages = [
  definePage({
    method: 'GET',
    path: '/login',
    handler: async (ctx, input) => {
      const journey = openJourney(ctx, input.query.get('journey'))
      // Signed in meanwhile, in another tab perhaps, or came here by the back button.
      const signedIn = !journey?.again && (await findBrowserSession(ctx, input))
      return signedIn
        ? { redirect: wayOn(ctx, { state: 'signed-in' }, journey) }
        : showLogin(ctx, input, { journey })
    },
  }),
  definePage({
    method: 'POST',
    path: '/login',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const journey = openJourney(ctx, input.query.get('journey'))
      const email = input.form.get('email') ?? ''
      try {
        const password = input.form.get('password') ?? ''
        const arrival = await signIn(ctx, input, { email, password, journey })
        return { redirect: wayOn(ctx, arrival, journey) }
      } catch (error) {
        return showLogin(ctx, input, { journey, email, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
  definePage({
    method: 'POST',
    path: '/logout',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      await signOut(ctx, input)
      return { redirect: '/login' }
    },
  }),
]

interface LoginState {
  journey: Journey | undefined
  email?: string
  problem?: PageProblem
}

async function showLogin(
  ctx: Ctx,
  input: PageInput,
  { journey, email, problem }: LoginState,
): Promise<PageAnswer> {
  const props = {
    csrf: csrfToken(ctx, input.request, input.reply),
    application: journey?.application,
    email: email ?? journey?.loginHint,
    problem: problem?.message,
    pages: {
      login: pageOf(ctx, '/login', journey),
      signUp: pageOf(ctx, '/signup', journey),
      forgot: pageOf(ctx, '/forgot-password', journey),
      next: wayOn(ctx, { state: 'signed-in' }, journey),
      restore: wayOn(ctx, { state: 'scheduled' }, journey),
    },
    providers: ctx.config.sso.map((provider) => ({
      label: provider.label,
      path: pageOf(ctx, ssoPath(provider), journey),
    })),
  }
  return {
    status: problem?.status ?? 200,
    formTargets: journey?.formTargets ?? [],
    scripts: true,
    html: render(<LoginPage {...props} />, await brandOf(ctx, journey)),
  }
}

interface LoginPageProps {
  csrf: string
  application: string | undefined
  email: string | undefined
  problem: string | undefined
  pages: Record<'login' | 'signUp' | 'forgot' | 'next' | 'restore', string>
  providers: { label: string; path: string }[]
}

const LoginPage = ({ csrf, application, email, problem, pages, providers }: LoginPageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <Layout title="Sign in">
      <h1>Sign in</h1>
      {application !== undefined && (
        <p class="quiet">
          to continue to <strong>{application}</strong>
        </p>
      )}
      <Problem message={problem} />
      <Form action={pages.login} csrf={csrf}>
        <Field
          label="E-mail address"
          name="email"
          type="email"
          autocomplete="username"
          value={email}
          focus={!email}
          describedBy={describedBy}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          focus={Boolean(email)}
          describedBy={describedBy}
        />
        <button type="submit">Sign in</button>
      </Form>
      <PasskeyButton kind="sign-in" next={pages.next} restore={pages.restore} />
      {providers.map(({ label, path }) => (
        <a key={path} class="button second" href={path}>
          Continue with {label}
        </a>
      ))}
      <p class="links">
        <a href={pages.forgot}>Forgot your password?</a>
        <a href={pages.signUp}>Create an account</a>
      </p>
    </Layout>
  )
}
