import { passkeyScriptPath } from './passkey-script.ts'

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
}

/**
 * Hidden until the script runs, and in browsers without passkeys. The page must be defined with `scripts: true`.
 */
export const PasskeyButton = ({ kind, next, restore = '/restore' }: PasskeyButtonProps) => (
  <div hidden data-passkey={kind} data-next={next} data-restore={restore}>
    {kind === 'enrol' && (
      <>
        <p class="field">
          <label for="passkey-name">Name of the passkey (optional)</label>
          <input type="text" id="passkey-name" maxLength={100} autocomplete="off" />
        </p>
        <p class="field" hidden data-password>
          <label for="passkey-password">Password</label>
          <input type="password" id="passkey-password" autocomplete="current-password" />
        </p>
      </>
    )}
    <button type="button" class="second">
      {LABELS[kind]}
    </button>
    <p role="alert" />
    <div role="status" />
    <script type="module" src={passkeyScriptPath} />
  </div>
)
