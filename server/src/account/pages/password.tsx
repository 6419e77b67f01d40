import type { PageProblem } from '../../http/errors/page-problem.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form } from '../../ui/form.tsx'
import { render } from '../../ui/render.ts'
import { changePassword } from '../credentials/password-change.ts'
import { AccountFrame, type AccountPageInput, defineAccountPage } from './define-account-page.tsx'

export const passwordPages = defineAccountPage({
  path: '/account/password',
  show: (_ctx, input, problem) => ({ html: render(<PasswordPage input={input} problem={problem} />) }),
  submit: async (ctx, input) => {
    const currentPassword = input.form.get('currentPassword') ?? ''
    const newPassword = input.form.get('newPassword') ?? ''
    await changePassword(ctx, input, { currentPassword, newPassword })
    return { html: render(<ChangedPage />) }
  },
})

const PasswordPage = ({ input, problem }: { input: AccountPageInput; problem: PageProblem | undefined }) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <AccountFrame title={t('Change password')} problem={problem}>
      <p>{t('You stay signed in here. Everywhere else you are signed out.')}</p>
      <Form action="/account/password" csrf={input.csrf}>
        <input type="hidden" name="username" autocomplete="username" value={input.session.email} />
        <Field
          label={t('Current password')}
          name="currentPassword"
          type="password"
          autocomplete="current-password"
          describedBy={describedBy}
        />
        <Field
          label={t('New password')}
          name="newPassword"
          type="password"
          autocomplete="new-password"
          hint={t('At least 8 characters. A few words that only you would put together are best.')}
          describedBy={describedBy}
        />
        <button type="submit">{t('Change password')}</button>
      </Form>
      <p class="links">
        <a href="/forgot-password">{t('I have none, or have forgotten it')}</a>
      </p>
    </AccountFrame>
  )
}

const ChangedPage = () => (
  <AccountFrame title={t('Password changed')}>
    <p role="status">{t('Your new password is set. Every other device was signed out.')}</p>
  </AccountFrame>
)
