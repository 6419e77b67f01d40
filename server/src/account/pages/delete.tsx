import type { PageProblem } from '../../http/errors/page-problem.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { GRACE_DAYS } from '../../users/deletion.ts'
import { getCurrentUser } from '../confirm-identity.ts'
import { CONFIRMATION, requestDeletion } from '../deletion/deletion.ts'
import { AccountFrame, type AccountPageInput, CurrentPasswordField, defineAccountPage } from './define-account-page.tsx'

export const deletePages = defineAccountPage({
  path: '/account/delete',
  show: async (ctx, input, problem) => {
    const { password_hash } = await getCurrentUser(ctx, input.caller)
    const props = { input, problem, hasPassword: password_hash !== null }
    return { html: render(<DeletePage {...props} />) }
  },
  submit: async (ctx, input) => {
    const confirmation = input.form.get('confirmation') ?? ''
    await requestDeletion(ctx, input, { confirmation, password: input.form.get('password') ?? '' })
    return { html: render(<DeletionScheduledPage />) }
  },
})

interface DeletePageProps {
  input: AccountPageInput
  problem: PageProblem | undefined
  hasPassword: boolean
}

const DeletePage = ({ input, problem, hasPassword }: DeletePageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <AccountFrame title={t('Delete your account')} problem={problem}>
      <p>
        {t(
          'You are signed out everywhere and leave every organization at once. For {days, plural, one {# day} other {# days}} you can sign in and change your mind; then everything we know about you is erased.',
          { days: GRACE_DAYS },
        )}
      </p>
      <Form action="/account/delete" csrf={input.csrf}>
        <Field
          label={t('Type {text}', { text: CONFIRMATION })}
          name="confirmation"
          type="text"
          autocomplete="off"
          describedBy={describedBy}
        />
        <CurrentPasswordField hasPassword={hasPassword} describedBy={describedBy} />
        <button type="submit" class="danger">
          {t('Delete my account')}
        </button>
      </Form>
    </AccountFrame>
  )
}

const DeletionScheduledPage = () => (
  <Layout title={t('Account deleted')}>
    <h1>{t('Goodbye')}</h1>
    <p role="status">
      {t(
        'Your account is scheduled for deletion. If you change your mind within {days, plural, one {# day} other {# days}}, sign in and restore it.',
        { days: GRACE_DAYS },
      )}
    </p>
    <p>
      <a href="/login">{t('Sign in')}</a>
    </p>
  </Layout>
)
