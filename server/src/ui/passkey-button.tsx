import { t, translatable } from '../languages/translate.ts'
import { Password } from './form.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { passkeyScript } from './scripts.ts'

const LABELS = {
  'sign-in': translatable('Sign in with a passkey'),
  'second-factor': translatable('Use your passkey'),
  enrol: translatable('Add a passkey'),
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
  <div hidden data-passkey={kind} data-next={next} data-restore={restore} data-texts={JSON.stringify(createTexts())}>
    {kind === 'enrol' && <EnrolFields />}
    <button type="button" class={first ? undefined : 'second'}>
      {t(LABELS[kind])}
    </button>
    <p role="alert" />
    <div role="status" />
    {kind === 'enrol' && <KeepCodes next={next} />}
    {first && <p class="or">{t('or')}</p>}
    <script type="module" src={passkeyScript.path} />
  </div>
)

/** What the script may have to say. Some keys are the names of browser errors (WebAuthn Level 3 §5.1). */
const createTexts = () => ({
  InvalidStateError: t('There is a passkey of yours on this device already.'),
  SecurityError: t('Passkeys do not work at this address.'),
  unused: t('No passkey was used.'),
  failed: t('That did not work. Try again.'),
})

const EnrolFields = () => (
  <>
    <p class="field">
      <label for="passkey-name">{t('Name of the passkey (optional)')}</label>
      <input type="text" id="passkey-name" maxLength={100} autocomplete="off" />
    </p>
    <p class="field" hidden data-password>
      <label for="passkey-password">{t('Password')}</label>
      <Password>
        <input type="password" id="passkey-password" autocomplete="current-password" />
      </Password>
    </p>
  </>
)

/** The script adds the recovery codes that come with the first second factor. */
const KeepCodes = ({ next }: { next: string }) => (
  <template>
    <h2 tabIndex={-1}>{t('Keep these recovery codes')}</h2>
    <p>
      {t(
        'Your passkey is added. If you lose it, each of these lets you in once. They are shown only now: print them, or keep them in a password manager.',
      )}
    </p>
    <RecoveryCodes codes={[]} />
    <a class="button" href={next}>
      {t('I have kept them')}
    </a>
  </template>
)
