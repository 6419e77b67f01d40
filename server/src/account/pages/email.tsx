import type { PageProblem } from '../../http/errors/page-problem.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { requestEmailChange } from '../credentials/email-change.ts'
import { AccountFrame, type AccountPageInput, CurrentPasswordField, defineAccountPage } from './define-account-page.tsx'

export const emailPages = defineAccountPage({
  path: '/account/email',
  show: async (ctx, input, problem) => {
    const { password_hash } = await getCurrentUser(ctx, input.caller)
    const props = { input, problem, hasPassword: password_hash !== null }
    return { html: render(<EmailPage {...props} />) }
  },
  submit: async (ctx, input) => {
    const newEmail = input.form.get('newEmail')?.trim() ?? ''
    await requestEmailChange(ctx, input, { newEmail, password: input.form.get('password') ?? '' })
    return { html: render(<MailSentPage email={newEmail} />) }
  },
})

interface EmailPageProps {
  input: AccountPageInput
  problem: PageProblem | undefined
  hasPassword: boolean
}

const EmailPage = ({ input, problem, hasPassword }: EmailPageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <AccountFrame title={t('Change address')} problem={problem}>
      <p>
        {rich('It is <b>{email}</b> now, and stays so until you have followed the link that we send to the new one.', {
          email: input.session.email,
          b: (text) => <strong>{text}</strong>,
        })}
      </p>
      <Form action="/account/email" csrf={input.csrf}>
        <Field
          label={t('New email address')}
          name="newEmail"
          type="email"
          autocomplete="email"
          value={input.form.get('newEmail')}
          describedBy={describedBy}
        />
        <CurrentPasswordField hasPassword={hasPassword} describedBy={describedBy} />
        <button type="submit">{t('Send the link')}</button>
      </Form>
    </AccountFrame>
  )
}

const MailSentPage = ({ email }: { email: string }) => (
  <AccountFrame title={t('Check your mailbox')}>
    <p role="status">
      {rich('We have sent a mail to <b>{email}</b>. Your address changes once you have followed its link.', {
        email,
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
  </AccountFrame>
)
