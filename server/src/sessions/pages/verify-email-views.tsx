import type { ComponentChildren } from 'preact'
import { t } from '../../languages/translate.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { rich } from '../../ui/rich-text.ts'
import { waitingScript } from '../../ui/scripts.ts'

interface ConfirmProps {
  action: string
  token: string
  csrf: string
  email: string
  /** The address replaces another one. */
  isChange: boolean
  /** The person has signed up in this browser, or is signed in here. */
  isOwn: boolean
  /** The script confirms without a click. */
  continues: boolean
  /** The link requires a password. */
  problem: string | undefined
}

export const ConfirmPage = ({ action, token, csrf, email, isChange, isOwn, continues, problem }: ConfirmProps) => (
  <Layout title={t('Confirm your address')}>
    <h1>{t('Confirm your address')}</h1>
    {problem === undefined ? <p>{explainButton(email, isChange)}</p> : <Problem message={problem} />}
    <Form action={action} csrf={csrf} continues={continues}>
      <input type="hidden" name="token" value={token} />
      {problem !== undefined && (
        <Field
          label={t('Password')}
          name="password"
          type="password"
          autocomplete="current-password"
          describedBy="problem"
        />
      )}
      <button type="submit">{t('Confirm')}</button>
    </Form>
    {!isOwn && (
      <Form action={action} csrf={csrf}>
        <input type="hidden" name="token" value={token} />
        <input type="hidden" name="choice" value="reject" />
        <p class="quiet">
          {isChange
            ? t('You did not ask for this? Then another person wants to use your address for their account.')
            : t('You have not signed up? Then another person has entered your address.')}
        </p>
        <button type="submit" class="second">
          {t('It was not me')}
        </button>
      </Form>
    )}
    {continues && <script type="module" src={waitingScript.path} />}
  </Layout>
)

function explainButton(email: string, isChange: boolean) {
  const values = { email, b: (address: ComponentChildren) => <strong>{address}</strong> }
  return isChange
    ? rich(
        'Press the button to confirm that <b>{email}</b> is yours, and to use it for your account from now on.',
        values,
      )
    : rich('Press the button to confirm that <b>{email}</b> is yours.', values)
}

interface VerifiedProps {
  email: string
  isSignedIn: boolean
  /** Another browser waits for this. */
  isWaiting: boolean
}

export const VerifiedPage = ({ email, isSignedIn, isWaiting }: VerifiedProps) => (
  <Layout title={t('Address confirmed')}>
    <h1>{t('Thank you')}</h1>
    <p role="status">
      {rich('Your address <b>{email}</b> is confirmed.', { email, b: (address) => <strong>{address}</strong> })}
    </p>
    {isWaiting && !isSignedIn ? (
      <>
        <p>
          {t(
            'Now go back to the browser in which you have signed up. The page there continues by itself, or with its button. You can close this one.',
          )}
        </p>
        <p class="links">
          <a href="/login">{t('Sign in here instead')}</a>
        </p>
      </>
    ) : (
      <a class="button" href={isSignedIn ? '/account' : '/login'}>
        {isSignedIn ? t('Go to your account') : t('Sign in')}
      </a>
    )}
  </Layout>
)

export const RejectedPage = () => (
  <Layout title={t('Link removed')}>
    <h1>{t('Thank you')}</h1>
    <p role="status">{t('The link in the mail does not work any more, and your address was not confirmed.')}</p>
    <p>{t('There is nothing else that you need to do.')}</p>
  </Layout>
)

interface DeadLinkProps {
  /** The address of the person who is signed in here is confirmed. */
  isVerified: boolean
  /** Where the person continues; undefined: at the sign-in. */
  next: string | undefined
}

export const DeadLinkPage = ({ isVerified, next }: DeadLinkProps) => (
  <Layout title={t('This link does not work any more')}>
    <h1>{isVerified ? t('Your address is confirmed') : t('This link does not work any more')}</h1>
    {isVerified ? (
      <p role="status">{t('The link was used already. You are signed in.')}</p>
    ) : (
      <p role="status">
        {next === undefined
          ? t(
              'It was used already, is too old, or there is a newer mail. If you have confirmed your address, just sign in. If not, you can ask for another mail there.',
            )
          : t(
              'It was used already, is too old, or there is a newer mail. If you have confirmed your address, just continue. If not, you can ask for another mail there.',
            )}
      </p>
    )}
    <a class="button" href={next ?? '/login'}>
      {next === undefined ? t('Sign in') : t('Continue')}
    </a>
  </Layout>
)
