import type { Ctx } from '../../context.ts'
import type { PageAnswer } from '../../http/define-route.ts'
import type { PageProblem } from '../../http/page-problem.ts'
import { wayOn } from '../../sessions/arrival.ts'
import { brandOf } from '../../sessions/brand.ts'
import { type Journey, openJourney, pageOf } from '../../sessions/journey.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { findFactors } from '../../users/factors/factors.ts'
import { findUnconfirmedTotp, type NewTotp } from '../../users/factors/totp.ts'
import { beginApp, confirmApp } from '../mfa/authenticator-app.ts'
import { accountPage, type Visit } from './account-page.tsx'

const PATH = '/mfa/setup'

/** Setting up a second factor: of one's own will, or on the way into a tenant that demands one. */
export const mfaSetupPages = accountPage({
  path: PATH,
  show,
  act: async (ctx, visit) => {
    const code = visit.form.get('code')
    if (code === undefined) return showApp(ctx, visit, await beginApp(ctx, visit))
    const codes = await confirmApp(ctx, visit, code)
    const journey = journeyOf(ctx, visit)
    const next = journey ? wayOn(ctx, { state: 'signed-in' }, journey) : '/account/security'
    return {
      html: render(<CodesPage codes={codes} next={next} />, await brandOf(ctx, journey, visit.caller.userId)),
    }
  },
})

const journeyOf = (ctx: Ctx, { query }: Visit): Journey | undefined => openJourney(ctx, query.get('journey'))

async function show(ctx: Ctx, visit: Visit, problem?: PageProblem): Promise<PageAnswer> {
  // A code was wrong: the same picture again, for another try.
  if (visit.form.get('code') !== undefined) {
    const { email } = visit.session
    const waiting = await findUnconfirmedTotp(ctx, { ...visit.caller, email })
    if (waiting) return showApp(ctx, visit, waiting, problem)
  }
  const journey = journeyOf(ctx, visit)
  const { totp } = await findFactors(ctx.db, visit.caller.userId)
  if (totp && !problem) return { redirect: pageOf(ctx, journey ? '/mfa' : '/account/security', journey) }
  return {
    scripts: true,
    html: render(
      <ChoosePage
        action={pageOf(ctx, PATH, journey)}
        csrf={visit.csrf}
        next={journey ? wayOn(ctx, { state: 'signed-in' }, journey) : '/account/security'}
        demanded={journey !== undefined}
        problem={problem?.message}
      />,
      await brandOf(ctx, journey, visit.caller.userId),
    ),
  }
}

async function showApp(ctx: Ctx, visit: Visit, app: NewTotp, problem?: PageProblem): Promise<PageAnswer> {
  const journey = journeyOf(ctx, visit)
  const action = pageOf(ctx, PATH, journey)
  const page = <AppPage action={action} csrf={visit.csrf} app={app} problem={problem?.message} />
  return { html: render(page, await brandOf(ctx, journey, visit.caller.userId)) }
}

interface ChoosePageProps {
  action: string
  csrf: string
  next: string
  demanded: boolean
  problem: string | undefined
}

const ChoosePage = ({ action, csrf, next, demanded, problem }: ChoosePageProps) => (
  <Layout title="Set up a second step">
    <h1>Set up a second step</h1>
    <p>
      {demanded ? 'Your organisation asks for more than a password. ' : ''}
      With a second step, whoever learns your password still cannot sign in.
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <button type="submit">Use an authenticator app</button>
    </Form>
    <PasskeyButton kind="enrol" next={next} />
  </Layout>
)

interface AppPageProps {
  action: string
  csrf: string
  app: NewTotp
  problem: string | undefined
}

const AppPage = ({ action, csrf, app, problem }: AppPageProps) => (
  <Layout title="Set up your authenticator app">
    <h1>Set up your authenticator app</h1>
    <ol>
      <li>Scan this picture with the app, or type the key in by hand.</li>
      <li>Type the code that it shows.</li>
    </ol>
    <img class="qr" src={app.qrCode} alt="QR code for the authenticator app" />
    <p>
      Key: <code>{app.secret.match(/.{1,4}/g)?.join(' ')}</code>
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <Field
        label="Code"
        name="code"
        type="code"
        autocomplete="one-time-code"
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">Confirm</button>
    </Form>
  </Layout>
)

export const CodesPage = ({ codes, next }: { codes: string[]; next: string }) => (
  <Layout title="Your recovery codes">
    <h1>Keep these recovery codes</h1>
    <p>
      If you lose your device, each of these lets you in once. They are shown only now: print them, or keep
      them in a password manager.
    </p>
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
    <p>
      <a class="button" href={next}>
        I have kept them
      </a>
    </p>
  </Layout>
)
