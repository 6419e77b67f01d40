import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import type { PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { findLoginBrand } from '../../sessions/brand.ts'
import { nextPage } from '../../sessions/establish-session.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../../sessions/login-transaction.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { RecoveryCodes } from '../../ui/recovery-codes.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { findFactors } from '../../users/factors/factors.ts'
import { findUnconfirmedTotp, type NewTotp } from '../../users/factors/totp.ts'
import { beginAppEnrollment, confirmAppEnrollment } from '../mfa/authenticator-app.ts'
import { type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

/** At `/mfa/setup`, because sign-in leads here too. */
const PATH = '/mfa/setup'

/** Enrollment of a second factor: voluntarily, or during a login to a tenant that requires one. */
export const mfaSetupPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    const code = input.form.get('code')
    if (code === undefined) return showApp(ctx, input, await beginAppEnrollment(ctx, input))
    const codes = await confirmAppEnrollment(ctx, input, code)
    const login = loginTransactionOf(ctx, input)
    const next = login ? nextPage(ctx, { state: 'signed-in' }, login) : '/account/security'
    return {
      html: render(<CodesPage codes={codes} next={next} />, await findLoginBrand(ctx, login, input.caller.userId)),
    }
  },
})

const loginTransactionOf = (ctx: Ctx, { query }: AccountPageInput): LoginTransaction | undefined =>
  readLoginTransaction(ctx, query.get('journey'))

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem): Promise<PageResult> {
  // After a wrong code, the same QR code is shown again.
  if (input.form.get('code') !== undefined) {
    const { email } = input.session
    const unconfirmed = await findUnconfirmedTotp(ctx, { ...input.caller, email })
    if (unconfirmed) return showApp(ctx, input, unconfirmed, problem)
  }
  const login = loginTransactionOf(ctx, input)
  const { totp } = await findFactors(ctx.db, input.caller.userId)
  if (totp && !problem) return { redirect: pageUrl(ctx, login ? '/mfa' : '/account/security', login) }
  return {
    html: render(
      <ChoosePage
        action={pageUrl(ctx, PATH, login)}
        csrf={input.csrf}
        next={login ? nextPage(ctx, { state: 'signed-in' }, login) : '/account/security'}
        required={login !== undefined}
        problem={problem?.message}
      />,
      await findLoginBrand(ctx, login, input.caller.userId),
    ),
  }
}

async function showApp(ctx: Ctx, input: AccountPageInput, app: NewTotp, problem?: PageProblem): Promise<PageResult> {
  const login = loginTransactionOf(ctx, input)
  const action = pageUrl(ctx, PATH, login)
  const page = <AppPage action={action} csrf={input.csrf} app={app} problem={problem?.message} />
  return { html: render(page, await findLoginBrand(ctx, login, input.caller.userId)) }
}

interface ChoosePageProps {
  action: string
  csrf: string
  next: string
  required: boolean
  problem: string | undefined
}

const ChoosePage = ({ action, csrf, next, required, problem }: ChoosePageProps) => (
  <Layout title={t('Set up a second step')}>
    <h1>{t('Set up a second step')}</h1>
    <p>
      {required
        ? t(
            'Your organization asks for more than a password. With a second step, whoever learns your password still cannot sign in.',
          )
        : t('With a second step, whoever learns your password still cannot sign in.')}
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <button type="submit">{t('Use an authenticator app')}</button>
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
  <Layout title={t('Set up your authenticator app')}>
    <h1>{t('Set up your authenticator app')}</h1>
    <ol>
      <li>{t('Scan this picture with the app, or type the key in by hand.')}</li>
      <li>{t('Type the code that it shows.')}</li>
    </ol>
    <img class="qr" src={app.qrCode} alt={t('QR code for the authenticator app')} />
    <p>
      {rich('Key: <code>{key}</code>', {
        key: app.secret.match(/.{1,4}/g)?.join(' ') ?? '',
        code: (text) => <code>{text}</code>,
      })}
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <Field
        label={t('Code')}
        name="code"
        type="digits"
        autocomplete="one-time-code"
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">{t('Confirm')}</button>
    </Form>
  </Layout>
)

export const CodesPage = ({ codes, next }: { codes: string[]; next: string }) => (
  <Layout title={t('Your recovery codes')} hasLanguages={false}>
    <h1>{t('Keep these recovery codes')}</h1>
    <p>
      {t(
        'If you lose your device, each of these lets you in once. They are shown only now: print them, or keep them in a password manager.',
      )}
    </p>
    <RecoveryCodes codes={codes} />
    <p>
      <a class="button" href={next}>
        {t('I have kept them')}
      </a>
    </p>
  </Layout>
)
