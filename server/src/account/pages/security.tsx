import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import { Form, Password } from '../../ui/form.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { type Factors, findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { listPasskeysOf } from '../../users/passkeys/passkeys.ts'
import { removeApp, replaceRecoveryCodes } from '../mfa/authenticator-app.ts'
import { removePasskey } from '../passkeys/service.ts'
import { AccountFrame, type AccountPageInput, defineAccountPage } from './define-account-page.tsx'
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
  <AccountFrame title="Second factors and passkeys" problem={problem}>
    <h2>Authenticator app</h2>
    {factors.totp ? (
      <>
        <p role="status">Signing in takes a code of your authenticator app.</p>
        <PasswordForm csrf={csrf} action="remove-app" label="Remove the app" danger />
      </>
    ) : (
      <p>
        <a class="button second" href="/mfa/setup">
          Set up an authenticator app
        </a>
      </p>
    )}
    <h2>Passkeys</h2>
    {passkeys.length === 0 ? (
      <p>With a passkey you sign in without a password: with your finger, your face or your device's PIN.</p>
    ) : (
      <ul class="rows">
        {passkeys.map(({ id, name, since }) => (
          <li key={id}>
            <div>
              <span class="subject">{name}</span>
              <span class="hint">since {since}</span>
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
    {hasSecondFactor(factors) && (
      <>
        <h2>Recovery codes</h2>
        <p>You have {factors.recoveryCodes} recovery codes left. New ones take the place of the old.</p>
        <PasswordForm csrf={csrf} action="new-codes" label="Make new codes" />
      </>
    )}
  </AccountFrame>
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
