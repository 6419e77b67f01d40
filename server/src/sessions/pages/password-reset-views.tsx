import type { ComponentChildren } from 'preact'
import { t } from '../../languages/translate.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { ResendButton, tooEarly } from '../../ui/resend-button.tsx'
import { rich } from '../../ui/rich-text.ts'
import { typedAddressScript, waitingScript } from '../../ui/scripts.ts'

interface ForgotPageProps {
  action: string
  signIn: string
  csrf: string
  email: string | undefined
  problem: string | undefined
}

export const ForgotPage = ({ action, signIn, csrf, email, problem }: ForgotPageProps) => (
  <Layout title={t('Forgot your password')}>
    <h1>{t('Forgot your password?')}</h1>
    <p>{t('Tell us your email address, and we send you a link to choose a new one.')}</p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <Field
        label={t('Email address')}
        name="email"
        type="email"
        autocomplete="username"
        value={email}
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">{t('Send the link')}</button>
    </Form>
    <p class="links">
      <a href={signIn}>{t('Back to sign-in')}</a>
    </p>
    <script type="module" src={typedAddressScript.path} />
  </Layout>
)

interface MailedPageProps {
  action: string
  /** The page for another address. */
  other: string
  signIn: string
  csrf: string
  email: string
  seconds: number
  /** What became of the request for another mail, if there was one. */
  resend: 'sent' | 'too-early' | undefined
}

export const MailedPage = ({ action, other, signIn, csrf, email, seconds, resend }: MailedPageProps) => (
  <Layout title={t('Check your mailbox')}>
    <h1>{t('Check your mailbox')}</h1>
    <p role="status">{explainMail(email, resend === 'sent')}</p>
    <Problem message={resend === 'too-early' ? tooEarly(seconds) : undefined} />
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="choice" value="resend" />
      <input type="hidden" name="email" value={email} />
      <ResendButton seconds={seconds} />
    </Form>
    <p class="links">
      <a href={signIn}>{t('Back to sign-in')}</a>
      <a href={other}>{t('Use another address')}</a>
    </p>
    <script type="module" src={waitingScript.path} />
  </Layout>
)

function explainMail(email: string, isResent: boolean) {
  const values = { email, b: (address: ComponentChildren) => <strong>{address}</strong> }
  return isResent
    ? rich(
        'If there is an account with the address <b>{email}</b>, another mail is on its way. Its link works once, for a short time. Open it in this browser, and you are signed in afterwards.',
        values,
      )
    : rich(
        'If there is an account with the address <b>{email}</b>, a mail is on its way. Its link works once, for a short time. Open it in this browser, and you are signed in afterwards.',
        values,
      )
}

interface ChoosePageProps {
  action: string
  token: string
  csrf: string
  email: string
  problem: string | undefined
  isPasswordWrong: boolean
}

export const ChoosePage = ({ action, token, csrf, email, problem, isPasswordWrong }: ChoosePageProps) => (
  <Layout title={t('Choose a new password')}>
    <h1>{t('Choose a new password')}</h1>
    <p>
      {rich('For <b>{email}</b>. All your devices will be signed out.', {
        email,
        b: (address) => <strong>{address}</strong>,
      })}
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="token" value={token} />
      {/* Password managers store the new password with this name. They ignore fields of the type hidden. */}
      <input type="text" name="username" autocomplete="username" value={email} readonly hidden />
      <Field
        label={t('New password')}
        name="newPassword"
        type="password"
        autocomplete="new-password"
        hint={t('At least 8 characters. A few words that only you would put together are best.')}
        focus
        describedBy={isPasswordWrong ? 'problem' : undefined}
      />
      <button type="submit">{t('Set the password')}</button>
    </Form>
  </Layout>
)

export const DeadLinkPage = ({ again, signIn }: { again: string; signIn: string }) => (
  <Layout title={t('This link does not work any more')}>
    <h1>{t('This link does not work any more')}</h1>
    <p role="status">{t('It was used already, is too old, or there is a newer mail.')}</p>
    <a class="button" href={again}>
      {t('Ask for a new link')}
    </a>
    <p class="links">
      <a href={signIn}>{t('Back to sign-in')}</a>
    </p>
  </Layout>
)

export const ResetPage = ({ signIn }: { signIn: string }) => (
  <Layout title={t('Password set')}>
    <h1>{t('Done')}</h1>
    <p role="status">{t('Your new password is set, and every device was signed out.')}</p>
    <a class="button" href={signIn}>
      {t('Sign in')}
    </a>
  </Layout>
)
