import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { formatDate } from '../../languages/dates.ts'
import { t } from '../../languages/translate.ts'
import { Form, Password } from '../../ui/form.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { type Factors, findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { listPasskeysOf } from '../../users/passkeys/passkeys.ts'
import { removeApp, replaceRecoveryCodes } from '../mfa/authenticator-app.ts'
import { removePasskey } from '../passkeys/service.ts'
import { AccountFrame, type AccountPageInput, AccountSection, defineAccountPage } from './define-account-page.tsx'
import { CodesPage } from './mfa-setup.tsx'

const PATH = '/account/security'

export const securityPages = defineAccountPage({
  path: PATH,
  show,
  submit: async (ctx, input) => {
    const { form } = input
    const password = form.get('password')
    const passkey = form.get('passkey')
    if (passkey !== undefined) {
      await removePasskey(ctx, input, { id: passkey, password })
      return { redirect: PATH }
    }
    if (form.get('action') === 'remove-app') {
      await removeApp(ctx, input, password)
      return { redirect: PATH }
    }
    return {
      html: render(<CodesPage codes={await replaceRecoveryCodes(ctx, input, password)} next={PATH} />),
    }
  },
})

async function show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem) {
  const factors = await findFactors(ctx.db, input.caller.userId)
  const passkeys = (await listPasskeysOf(ctx.db, input.caller.userId)).map(({ id, name, created_at }) => ({
    id,
    name,
    since: formatDate(created_at),
  }))
  const props = { factors, passkeys, csrf: input.csrf, problem }
  return { html: render(<SecurityPage {...props} />) }
}

interface SecurityPageProps {
  factors: Factors
  passkeys: { id: string; name: string; since: string }[]
  csrf: string
  problem: PageProblem | undefined
}

const SecurityPage = ({ factors, passkeys, csrf, problem }: SecurityPageProps) => (
  <AccountFrame
    title={t('Sign-in & security')}
    lead={t('How you sign in, and what keeps others from doing it in your name.')}
    consolePage="/security"
    problem={problem}
  >
    <AccountSection title={t('Password')}>
      <a class="button second" href="/account/password">
        {t('Change password')}
      </a>
    </AccountSection>
    <TwoStepSection factors={factors} csrf={csrf} />
    <PasskeysSection passkeys={passkeys} csrf={csrf} />
    <AccountSection title={t('Linked accounts')} lead={t('Sign in with an account that you have elsewhere.')}>
      <a class="button second" href="/account/connections">
        {t('Show linked accounts')}
      </a>
    </AccountSection>
  </AccountFrame>
)

const TwoStepSection = ({ factors, csrf }: Pick<SecurityPageProps, 'factors' | 'csrf'>) => (
  <AccountSection
    title={t('Two-step sign-in')}
    lead={t('A second step at sign-in keeps your account safe even if somebody finds out your password.')}
  >
    <h3>{t('Authenticator app')}</h3>
    {factors.totp ? (
      <>
        <p role="status">{t('Sign-in requires a code from your app.')}</p>
        <PasswordForm csrf={csrf} action="remove-app" label={t('Remove the app')} danger />
      </>
    ) : (
      <>
        <p>{t('An app on your phone shows a new code every 30 seconds.')}</p>
        <a class="button second" href="/mfa/setup">
          {t('Set up an authenticator app')}
        </a>
      </>
    )}
    {hasSecondFactor(factors) && (
      <>
        <h3>{t('Recovery codes')}</h3>
        <p>
          {t(
            '{left, plural, =0 {None is left.} one {One is left.} other {# are left.}} Each lets you sign in once if you do not have your phone or passkey with you.',
            { left: factors.recoveryCodes },
          )}
        </p>
        <PasswordForm csrf={csrf} action="new-codes" label={t('Create new codes')} />
      </>
    )}
  </AccountSection>
)

const PasskeysSection = ({ passkeys, csrf }: Pick<SecurityPageProps, 'passkeys' | 'csrf'>) => (
  <AccountSection
    title={t('Passkeys')}
    lead={t('Sign in without a password: with your finger, your face, or the PIN of your device.')}
  >
    {passkeys.length === 0 ? (
      <p>{t('No passkey yet')}</p>
    ) : (
      <ul class="rows">
        {passkeys.map(({ id, name, since }) => (
          <li key={id}>
            <div>
              <span class="subject">{name}</span>
              <span class="hint">{t('Added {date}', { date: since })}</span>
            </div>
            <Form action={PATH} csrf={csrf}>
              <button type="submit" name="passkey" value={id} class="second">
                {t('Remove')}
              </button>
            </Form>
          </li>
        ))}
      </ul>
    )}
    <PasskeyButton kind="enrol" next={PATH} />
  </AccountSection>
)

interface PasswordFormProps {
  csrf: string
  action: string
  label: string
  danger?: boolean
}

/** A form with a password field. A person without a password leaves it empty and needs a recent sign-in. */
const PasswordForm = ({ csrf, action, label, danger = false }: PasswordFormProps) => (
  <details>
    <summary>{label}</summary>
    <Form action={PATH} csrf={csrf}>
      <input type="hidden" name="action" value={action} />
      <p class="field">
        <label for={`${action}-password`}>{t('Password')}</label>
        <Password>
          <input type="password" id={`${action}-password`} name="password" autocomplete="current-password" />
        </Password>
      </p>
      <button type="submit" class={danger ? 'danger' : 'second'}>
        {label}
      </button>
    </Form>
  </details>
)
