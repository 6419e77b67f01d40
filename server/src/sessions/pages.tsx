import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { csrfToken, requireCsrf } from '../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../http/define-route.ts'
import { Field, Form } from '../ui/form.tsx'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { findBrowserSession, signOut } from './browser-session.ts'
import { type Journey, openJourney, withJourney } from './journey.ts'
import { PASSWORD_NEEDED } from './mailed-links.ts'
import { signIn } from './sign-in.ts'
import { verifyEmail } from './sign-up.ts'

/** Whoever just signs in, without being on the way to an application, ends up here. */
const HOME = '/account'

const wayOn = (ctx: Ctx, journey: Journey | undefined) =>
  journey ? withJourney(ctx, journey.next, journey) : HOME

export const sessionPages = [
  definePage({
    method: 'GET',
    path: '/login',
    handler: async (ctx, input) => {
      const journey = openJourney(ctx, input.query.get('journey'))
      // Signed in meanwhile, in another tab perhaps, or came here by the back button.
      const signedIn = !journey?.again && (await findBrowserSession(ctx, input))
      return signedIn ? { redirect: wayOn(ctx, journey) } : showLogin(ctx, input, { journey })
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
        await signIn(ctx, input, { email, password: input.form.get('password') ?? '' })
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error
        input.reply.headers(error.headers)
        return showLogin(ctx, input, { journey, email, problem: error })
      }
      return { redirect: wayOn(ctx, journey) }
    },
  }),
  definePage({
    method: 'GET',
    path: HOME,
    handler: async (ctx, input) => {
      const session = await findBrowserSession(ctx, input)
      if (!session) return { redirect: '/login' }
      const csrf = csrfToken(ctx, input.request, input.reply)
      return { html: render(<SignedInPage {...session} csrf={csrf} />) }
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
  definePage({
    method: 'GET',
    path: '/verify-email',
    // A mail scanner that follows every link must not use it up: a person presses the button.
    handler: (ctx, input) => showVerify(ctx, input, { token: input.query.get('token') ?? '' }),
  }),
  definePage({
    method: 'POST',
    path: '/verify-email',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const token = input.form.get('token') ?? ''
      try {
        await verifyEmail(ctx, token, input.form.get('password'))
      } catch (error) {
        if (!(error instanceof AppError) || error.details !== PASSWORD_NEEDED) throw error
        return { status: error.status, ...showVerify(ctx, input, { token, problem: error.message }) }
      }
      return { html: render(<VerifiedPage />) }
    },
  }),
]

interface LoginState {
  journey: Journey | undefined
  email?: string
  problem?: AppError
}

function showLogin(ctx: Ctx, input: PageInput, { journey, email, problem }: LoginState): PageAnswer {
  const action = journey ? withJourney(ctx, '/login', journey) : '/login'
  return {
    status: problem?.status ?? 200,
    formTargets: journey?.formTargets ?? [],
    html: render(
      <LoginPage
        action={action}
        csrf={csrfToken(ctx, input.request, input.reply)}
        application={journey?.application}
        email={email ?? journey?.loginHint}
        problem={problem?.message}
      />,
    ),
  }
}

function showVerify(ctx: Ctx, input: PageInput, state: { token: string; problem?: string }) {
  const csrf = csrfToken(ctx, input.request, input.reply)
  return { html: render(<VerifyEmailPage csrf={csrf} {...state} />) }
}

interface LoginPageProps {
  action: string
  csrf: string
  application: string | undefined
  email: string | undefined
  problem: string | undefined
}

const LoginPage = ({ action, csrf, application, email, problem }: LoginPageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <Layout title="Sign in">
      <h1>Sign in</h1>
      {application !== undefined && (
        <p class="quiet">
          to continue to <strong>{application}</strong>
        </p>
      )}
      {problem !== undefined && (
        <p id="problem" role="alert">
          {problem}
        </p>
      )}
      <Form action={action} csrf={csrf}>
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
    </Layout>
  )
}

const SignedInPage = ({ displayName, email, csrf }: { displayName: string; email: string; csrf: string }) => (
  <Layout title="Signed in">
    <h1>Hello {displayName}</h1>
    <p>
      You are signed in as <strong>{email}</strong>.
    </p>
    <Form action="/logout" csrf={csrf}>
      <button type="submit" class="second">
        Sign out
      </button>
    </Form>
  </Layout>
)

const VerifyEmailPage = ({ token, csrf, problem }: { token: string; csrf: string; problem?: string }) => (
  <Layout title="Confirm your address">
    <h1>Confirm your address</h1>
    {problem === undefined ? (
      <p>Press the button to confirm that this e-mail address is yours.</p>
    ) : (
      <p id="problem" role="alert">
        {problem}
      </p>
    )}
    <Form action="/verify-email" csrf={csrf}>
      <input type="hidden" name="token" value={token} />
      {problem !== undefined && (
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          describedBy="problem"
        />
      )}
      <button type="submit">Confirm</button>
    </Form>
  </Layout>
)

const VerifiedPage = () => (
  <Layout title="Address confirmed">
    <h1>Thank you</h1>
    <p role="status">Your e-mail address is confirmed.</p>
    <p>
      <a href="/login">Sign in</a>
    </p>
  </Layout>
)
