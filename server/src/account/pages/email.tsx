import type { ComponentChildren } from 'preact'
import type { Ctx } from '../../context.ts'
import { tooManyAttempts } from '../../errors.ts'
import type { PageProblem } from '../../http/errors/page-problem.ts'
import type { PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import type { PendingMail } from '../../sessions/mailed-links.ts'
import { TOO_MANY_MAILS } from '../../sessions/resend-time.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { ResendButton } from '../../ui/resend-button.tsx'
import { rich } from '../../ui/rich-text.ts'
import { waitingScript } from '../../ui/scripts.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { findPendingChange, requestEmailChange, resendEmailChange } from '../credentials/email-change.ts'
import { AccountFrame, type AccountPageInput, CurrentPasswordField, defineAccountPage } from './define-account-page.tsx'

const PATH = '/account/email'

/** The form, or the page that waits for the link in the mail to the new address. */
export const emailPages = defineAccountPage({
  path: PATH,
  show: (ctx, input, problem) =>
    input.query.get('another') !== undefined || input.form.get('choice') === 'change'
      ? showForm(ctx, input, problem)
      : showPending(ctx, input, { problem }),
  submit: async (ctx, input) => {
    if (input.form.get('choice') === 'resend') {
      await resendEmailChange(ctx, input)
      return showPending(ctx, input, { isResent: true })
    }
    const newEmail = input.form.get('newEmail')?.trim() ?? ''
    const wait = await requestEmailChange(ctx, input, { newEmail, password: input.form.get('password') ?? '' })
    if (wait !== undefined) throw tooManyAttempts(wait, t(TOO_MANY_MAILS))
    return showPending(ctx, input)
  },
})

async function showForm(ctx: Ctx, input: AccountPageInput, problem: PageProblem | undefined): Promise<PageResult> {
  const { password_hash } = await getCurrentUser(ctx, input.caller)
  return { html: render(<EmailPage input={input} problem={problem} hasPassword={password_hash !== null} />) }
}

async function showPending(
  ctx: Ctx,
  input: AccountPageInput,
  state: { problem?: PageProblem | undefined; isResent?: boolean } = {},
): Promise<PageResult> {
  const pending = await findPendingChange(ctx, ctx.db, input.caller.userId)
  if (!pending) return showForm(ctx, input, state.problem)
  return { html: render(<PendingPage {...pending} {...state} csrf={input.csrf} />) }
}

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
      <Form action={PATH} csrf={input.csrf}>
        <input type="hidden" name="choice" value="change" />
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

interface PendingPageProps extends PendingMail {
  csrf: string
  problem?: PageProblem | undefined
  isResent?: boolean
}

const PendingPage = ({ email, seconds, csrf, problem, isResent = false }: PendingPageProps) => (
  <AccountFrame title={t('Check your mailbox')} problem={problem}>
    <p role="status" data-waiting={PATH}>
      {explainMail(email, isResent)}
    </p>
    <Form action={PATH} csrf={csrf}>
      <input type="hidden" name="choice" value="resend" />
      <ResendButton seconds={seconds} />
    </Form>
    <p class="links">
      <a href={`${PATH}?another=yes`}>{t('Use another address')}</a>
    </p>
    <script type="module" src={waitingScript.path} />
  </AccountFrame>
)

function explainMail(email: string, isResent: boolean) {
  const values = { email, b: (text: ComponentChildren) => <strong>{text}</strong> }
  return isResent
    ? rich(
        'We have sent another mail to <b>{email}</b>. Your address changes once you have followed its link. Only the link in the newest mail works.',
        values,
      )
    : rich('We have sent a mail to <b>{email}</b>. Your address changes once you have followed its link.', values)
}
