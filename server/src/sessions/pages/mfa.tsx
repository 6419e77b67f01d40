import type { Ctx } from '../../context.ts'
import { csrfToken, requireCsrf } from '../../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../../http/define-route.ts'
import { type PageProblem, toPageProblem } from '../../http/page-problem.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import type { SecondFactor } from '../../users/factors/factors.ts'
import { wayOn } from '../arrival.ts'
import { brandOf } from '../brand.ts'
import { answerWithCode, findChallenged, methodsOf } from '../challenge.ts'
import { type Journey, openJourney, pageOf } from '../journey.ts'

/** Where a second factor is asked for: after the first, or when a tenant demands one of somebody signed in. */
export const mfaPages = [
  definePage({
    method: 'GET',
    path: '/mfa',
    handler: (ctx, input) => showChallenge(ctx, input, openJourney(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/mfa',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const journey = openJourney(ctx, input.query.get('journey'))
      try {
        const arrival = await answerWithCode(ctx, input, { code: input.form.get('code') ?? '', journey })
        return { redirect: wayOn(ctx, arrival, journey) }
      } catch (error) {
        return showChallenge(ctx, input, journey, toPageProblem(error, input.reply))
      }
    },
  }),
]

async function showChallenge(
  ctx: Ctx,
  input: PageInput,
  journey: Journey | undefined,
  problem?: PageProblem,
): Promise<PageAnswer> {
  const challenged = await findChallenged(ctx, input)
  const methods = challenged ? await methodsOf(ctx, challenged) : []
  // Took too long, or there is nothing to be shown: the way leads over the sign-in, or on.
  if (methods.length === 0) return { redirect: pageOf(ctx, '/login', journey) }
  return {
    status: problem?.status ?? 200,
    formTargets: journey?.formTargets ?? [],
    scripts: true,
    html: render(
      <MfaPage
        action={pageOf(ctx, '/mfa', journey)}
        csrf={csrfToken(ctx, input.request, input.reply)}
        methods={methods}
        next={wayOn(ctx, { state: 'signed-in' }, journey)}
        again={pageOf(ctx, '/login', journey && { ...journey, again: true })}
        problem={problem?.message}
      />,
      await brandOf(ctx, journey),
    ),
  }
}

interface MfaPageProps {
  action: string
  csrf: string
  methods: SecondFactor[]
  next: string
  again: string
  problem: string | undefined
}

const MfaPage = ({ action, csrf, methods, next, again, problem }: MfaPageProps) => (
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
      <a href={again}>Sign in as somebody else</a>
    </p>
  </Layout>
)

function explain(methods: SecondFactor[]): string {
  if (!methods.includes('totp')) return 'Use your passkey, or one of your recovery codes.'
  return methods.includes('passkey')
    ? 'Use your passkey, or type the code that your authenticator app shows.'
    : 'Type the code that your authenticator app shows.'
}
