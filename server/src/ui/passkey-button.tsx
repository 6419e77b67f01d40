import { Password } from './form.tsx'
import { passkeyScript } from './scripts.ts'

const LABELS = {
  'sign-in': 'Sign in with a passkey',
  'second-factor': 'Use your passkey',
  enrol: 'Add a passkey',
}

interface PasskeyButtonProps {
  kind: keyof typeof LABELS
  /** The page after success. */
  next: string
  /** The page for accounts that are scheduled for deletion. */
  restore?: string
  /** Above the other ways to sign in, which follow after a divider. */
  first?: boolean
}

/**
 * Hidden until the script runs, and in browsers without passkeys.
 */
export const PasskeyButton = ({ kind, next, restore = '/restore', first = false }: PasskeyButtonProps) => (
  <div hidden data-passkey={kind} data-next={next} data-restore={restore}>
    {kind === 'enrol' && (
      <>
        <p class="field">
          <label for="passkey-name">Name of the passkey (optional)</label>
          <input type="text" id="passkey-name" maxLength={100} autocomplete="off" />
        </p>
        <p class="field" hidden data-password>
          <label for="passkey-password">Password</label>
          <Password>
            <input type="password" id="passkey-password" autocomplete="current-password" />
          </Password>
        </p>
      </>
    )}
    <button type="button" class={first ? undefined : 'second'}>
      {LABELS[kind]}
    </button>
    <p role="alert" />
    <div role="status" />
    {first && <p class="or">or</p>}
    <script type="module" src={passkeyScript.path} />
  </div>
)
