import { ssoPath } from '../../config/sso.ts'
import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { findLoginBrand } from '../brand.ts'
import { findBrowserSession, signOut } from '../browser-session.ts'
import { nextPage } from '../establish-session.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { signIn } from '../sign-in.ts'

export const loginPages = [
  definePage({
    method: 'GET',
    path: '/login',
    handler: async (ctx, input) => {
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      // The user may have signed in in another tab, or used the back button.
      const signedIn = !login?.mustReauthenticate && (await findBrowserSession(ctx, input))
      return signedIn ? { redirect: nextPage(ctx, { state: 'signed-in' }, login) } : showLogin(ctx, input, { login })
    },
  }),
  definePage({
    method: 'POST',
    path: '/login',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      const email = input.form.get('email') ?? ''
      try {
        const password = input.form.get('password') ?? ''
        const result = await signIn(ctx, input, { email, password, login })
        return { redirect: nextPage(ctx, result, login) }
      } catch (error) {
        return showLogin(ctx, input, { login, email, problem: toPageProblem(error, input.reply) })
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
  login: LoginTransaction | undefined
  email?: string
  problem?: PageProblem
}

async function showLogin(ctx: Ctx, input: PageInput, { login, email, problem }: LoginState): Promise<PageResult> {
  const props = {
    csrf: createCsrfToken(ctx, input.request, input.reply),
    application: login?.application,
    email: email ?? login?.loginHint,
    problem: problem?.message,
    pages: {
      login: pageUrl(ctx, '/login', login),
      signUp: pageUrl(ctx, '/signup', login),
      forgot: pageUrl(ctx, '/forgot-password', login),
      next: nextPage(ctx, { state: 'signed-in' }, login),
      restore: nextPage(ctx, { state: 'deletion-scheduled' }, login),
    },
    providers: ctx.config.sso.map((provider) => ({
      label: provider.label,
      path: pageUrl(ctx, ssoPath(provider), login),
    })),
  }
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    scripts: true,
    html: render(<LoginPage {...props} />, await findLoginBrand(ctx, login)),
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
          label="Email address"
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
