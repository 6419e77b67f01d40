import type { PageProblem } from '../../http/errors/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
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
    <AccountFrame title="Change address" problem={problem}>
      <p>
        It is <strong>{input.session.email}</strong> now, and stays so until you have followed the link that we send to
        the new one.
      </p>
      <Form action="/account/email" csrf={input.csrf}>
        <Field
          label="New email address"
          name="newEmail"
          type="email"
          autocomplete="email"
          value={input.form.get('newEmail')}
          describedBy={describedBy}
        />
        <CurrentPasswordField hasPassword={hasPassword} describedBy={describedBy} />
        <button type="submit">Send the link</button>
      </Form>
    </AccountFrame>
  )
}

const MailSentPage = ({ email }: { email: string }) => (
  <AccountFrame title="Check your mailbox">
    <p role="status">
      We have sent a mail to <strong>{email}</strong>. Your address changes once you have followed its link.
    </p>
  </AccountFrame>
)
