import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import type { SecondFactor } from '../../users/factors/factors.ts'
import { findLoginBrand } from '../brand.ts'
import { findChallengedUser, listMethods, signInWithCode } from '../challenge.ts'
import { nextPage } from '../establish-session.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'

/** The second-factor page: after the first factor, or when a tenant requires a second factor of a signed-in user. */
export const mfaPages = [
  definePage({
    method: 'GET',
    path: '/mfa',
    handler: (ctx, input) => showChallenge(ctx, input, readLoginTransaction(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/mfa',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      try {
        const result = await signInWithCode(ctx, input, { code: input.form.get('code') ?? '', login })
        return { redirect: nextPage(ctx, result, login) }
      } catch (error) {
        return showChallenge(ctx, input, login, toPageProblem(error, input.reply))
      }
    },
  }),
]

async function showChallenge(
  ctx: Ctx,
  input: PageInput,
  login: LoginTransaction | undefined,
  problem?: PageProblem,
): Promise<PageResult> {
  const challenged = await findChallengedUser(ctx, input)
  const methods = challenged ? await listMethods(ctx, challenged) : []
  // The pending sign-in has expired, or the user has no second factor.
  if (methods.length === 0) return { redirect: pageUrl(ctx, '/login', login) }
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    scripts: true,
    html: render(
      <MfaPage
        action={pageUrl(ctx, '/mfa', login)}
        csrf={createCsrfToken(ctx, input.request, input.reply)}
        methods={methods}
        next={nextPage(ctx, { state: 'signed-in' }, login)}
        switchUser={pageUrl(ctx, '/login', login && { ...login, mustReauthenticate: true })}
        problem={problem?.message}
      />,
      await findLoginBrand(ctx, login),
    ),
  }
}

interface MfaPageProps {
  action: string
  csrf: string
  methods: SecondFactor[]
  next: string
  switchUser: string
  problem: string | undefined
}

const MfaPage = ({ action, csrf, methods, next, switchUser, problem }: MfaPageProps) => (
  <Layout title="Second step">
    <h1>One more step</h1>
    <p>{explain(methods)}</p>
    <Problem message={problem} />
    {methods.includes('passkey') && <PasskeyButton kind="second-factor" next={next} />}
    {(methods.includes('totp') || methods.includes('recovery_code')) && (
      <Form action={action} csrf={csrf}>
        <Field
          label={methods.includes('totp') ? 'Code' : 'Recovery code'}
          name="code"
          type="code"
          autocomplete="one-time-code"
          focus
          {...(methods.includes('totp') &&
            methods.includes('recovery_code') && { hint: 'Lost your device? Type a recovery code instead.' })}
          describedBy={problem === undefined ? undefined : 'problem'}
        />
        <button type="submit">Continue</button>
      </Form>
    )}
    <p class="links">
      <a href={switchUser}>Sign in as somebody else</a>
    </p>
  </Layout>
)

function explain(methods: SecondFactor[]): string {
  if (!methods.includes('totp')) return 'Use your passkey, or one of your recovery codes.'
  return methods.includes('passkey')
    ? 'Use your passkey, or type the code that your authenticator app shows.'
    : 'Type the code that your authenticator app shows.'
}
