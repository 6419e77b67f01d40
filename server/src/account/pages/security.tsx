import type { Ctx } from '../../context.ts'
import type { PageProblem } from '../../http/page-problem.ts'
import { Form } from '../../ui/form.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { type Factors, findFactors, hasSecondFactor } from '../../users/factors/factors.ts'
import { listPasskeysOf } from '../../users/passkeys/passkeys.ts'
import { removeApp, replaceCodes } from '../mfa/authenticator-app.ts'
import { removePasskey } from '../passkeys/service.ts'
import { AccountFrame, accountPage, type Visit } from './account-page.tsx'
import { CodesPage } from './mfa-setup.tsx'

const PATH = '/account/security'

/** The second step and the passkeys of one's own account. */
export const securityPages = accountPage({
  path: PATH,
  show,
  act: async (ctx, visit) => {
    const { form } = visit
    const password = form.get('password')
    const passkey = form.get('passkey')
    if (passkey !== undefined) {
      await removePasskey(ctx, visit, { id: passkey, password })
      return { redirect: PATH }
    }
    if (form.get('action') === 'remove-app') {
      await removeApp(ctx, visit, password)
      return { redirect: PATH }
    }
    return { html: render(<CodesPage codes={await replaceCodes(ctx, visit, password)} next={PATH} />) }
  },
})

async function show(ctx: Ctx, visit: Visit, problem?: PageProblem) {
  const factors = await findFactors(ctx.db, visit.caller.userId)
  const passkeys = (await listPasskeysOf(ctx.db, visit.caller.userId)).map(({ id, name, created_at }) => ({
    id,
    name,
    since: created_at.toISOString().slice(0, 10),
  }))
  const props = { factors, passkeys, csrf: visit.csrf, problem }
  return { scripts: true, html: render(<SecurityPage {...props} />) }
}

interface SecurityPageProps {
  factors: Factors
  passkeys: { id: string; name: string; since: string }[]
  csrf: string
  problem: PageProblem | undefined
}

const SecurityPage = ({ factors, passkeys, csrf, problem }: SecurityPageProps) => (
  <AccountFrame title="Second step and passkeys" problem={problem}>
    <h2>Authenticator app</h2>
    {factors.totp ? (
      <>
        <p role="status">Signing in takes a code of your authenticator app.</p>
        <Confirmed csrf={csrf} action="remove-app" label="Remove the app" danger />
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
        <Confirmed csrf={csrf} action="new-codes" label="Make new codes" />
      </>
    )}
  </AccountFrame>
)

interface ConfirmedProps {
  csrf: string
  action: string
  label: string
  danger?: boolean
}

/** A form that asks for the password first. People without one leave it empty, and must have signed in just now. */
const Confirmed = ({ csrf, action, label, danger = false }: ConfirmedProps) => (
  <details>
    <summary>{label}</summary>
    <Form action={PATH} csrf={csrf}>
      <input type="hidden" name="action" value={action} />
      <p class="field">
        <label for={`${action}-password`}>Password</label>
        <input type="password" id={`${action}-password`} name="password" autocomplete="current-password" />
      </p>
      <button type="submit" class={danger ? 'danger' : 'second'}>
        {label}
      </button>
    </Form>
  </details>
)
