import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
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
    since: created_at.toISOString().slice(0, 10),
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
    title="Sign-in & security"
    lead="How you sign in, and what keeps others from doing it in your name."
    consolePage="/security"
    problem={problem}
  >
    <AccountSection title="Password">
      <a class="button second" href="/account/password">
        Change password
      </a>
    </AccountSection>
    <TwoStepSection factors={factors} csrf={csrf} />
    <PasskeysSection passkeys={passkeys} csrf={csrf} />
    <AccountSection title="Linked accounts" lead="Sign in with an account that you have elsewhere.">
      <a class="button second" href="/account/connections">
        Show linked accounts
      </a>
    </AccountSection>
  </AccountFrame>
)

const TwoStepSection = ({ factors, csrf }: Pick<SecurityPageProps, 'factors' | 'csrf'>) => (
  <AccountSection
    title="Two-step sign-in"
    lead="A second step at sign-in keeps your account safe even if somebody finds out your password."
  >
    <h3>Authenticator app</h3>
    {factors.totp ? (
      <>
        <p role="status">Sign-in requires a code from your app.</p>
        <PasswordForm csrf={csrf} action="remove-app" label="Remove the app" danger />
      </>
    ) : (
      <>
        <p>An app on your phone shows a new code every 30 seconds.</p>
        <a class="button second" href="/mfa/setup">
          Set up an authenticator app
        </a>
      </>
    )}
    {hasSecondFactor(factors) && (
      <>
        <h3>Recovery codes</h3>
        <p>
          {describeCodes(factors.recoveryCodes)} Each lets you sign in once if you do not have your phone or passkey
          with you.
        </p>
        <PasswordForm csrf={csrf} action="new-codes" label="Create new codes" />
      </>
    )}
  </AccountSection>
)

const describeCodes = (left: number): string =>
  left === 0 ? 'None is left.' : left === 1 ? 'One is left.' : `${left} are left.`

const PasskeysSection = ({ passkeys, csrf }: Pick<SecurityPageProps, 'passkeys' | 'csrf'>) => (
  <AccountSection
    title="Passkeys"
    lead="Sign in without a password: with your finger, your face, or the PIN of your device."
  >
    {passkeys.length === 0 ? (
      <p>No passkey yet</p>
    ) : (
      <ul class="rows">
        {passkeys.map(({ id, name, since }) => (
          <li key={id}>
            <div>
              <span class="subject">{name}</span>
              <span class="hint">Added {since}</span>
            </div>
            <Form action={PATH} csrf={csrf}>
              <button type="submit" name="passkey" value={id} class="second">
                Remove
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
        <label for={`${action}-password`}>Password</label>
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
