import type { PageProblem } from '../../http/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { getSelf } from '../confirm-identity.ts'
import { requestEmailChange } from '../credentials/email-change.ts'
import { AccountFrame, accountPage, OwnPassword, type Visit } from './account-page.tsx'

export const emailPages = accountPage({
  path: '/account/email',
  show: async (ctx, visit, problem) => {
    const { password_hash } = await getSelf(ctx, visit.caller)
    const props = { visit, problem, hasPassword: password_hash !== null }
    return { html: render(<EmailPage {...props} />) }
  },
  act: async (ctx, visit) => {
    const newEmail = visit.form.get('newEmail')?.trim() ?? ''
    await requestEmailChange(ctx, visit, { newEmail, password: visit.form.get('password') ?? '' })
    return { html: render(<MailedPage email={newEmail} />) }
  },
})

interface EmailPageProps {
  visit: Visit
  problem: PageProblem | undefined
  hasPassword: boolean
}

const EmailPage = ({ visit, problem, hasPassword }: EmailPageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <AccountFrame title="Change your e-mail address" problem={problem}>
      <p>
        It is <strong>{visit.session.email}</strong> now, and stays so until you have followed the link that
        we send to the new one.
      </p>
      <Form action="/account/email" csrf={visit.csrf}>
        <Field
          label="New e-mail address"
          name="newEmail"
          type="email"
          autocomplete="email"
          value={visit.form.get('newEmail')}
          describedBy={describedBy}
        />
        <OwnPassword isSet={hasPassword} describedBy={describedBy} />
        <button type="submit">Send the link</button>
      </Form>
    </AccountFrame>
  )
}

const MailedPage = ({ email }: { email: string }) => (
  <AccountFrame title="Check your mailbox">
    <p role="status">
      We have sent a mail to <strong>{email}</strong>. Your address changes once you have followed its link.
    </p>
  </AccountFrame>
)
