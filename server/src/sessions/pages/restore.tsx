import { toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage } from '../../http/routing/define-route.ts'
import { formatDate } from '../../languages/dates.ts'
import { t } from '../../languages/translate.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { toErasureDate } from '../../users/deletion.ts'
import { findLoginBrand } from '../brand.ts'
import { nextPage } from '../establish-session.ts'
import { pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { findRestorableUser, restoreAndSignIn } from '../restore.ts'

/** For users who sign in to an account that is scheduled for deletion. */
export const restorePages = [
  definePage({
    method: 'GET',
    path: '/restore',
    handler: async (ctx, input) => {
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      const user = await findRestorableUser(ctx, input)
      if (!user?.deletion_requested_at) return { redirect: pageUrl(ctx, '/login', login) }
      return {
        formTargets: login?.formTargets ?? [],
        html: render(
          <RestorePage
            action={pageUrl(ctx, '/restore', login)}
            csrf={createCsrfToken(ctx, input.request, input.reply)}
            email={user.email}
            day={formatDate(toErasureDate(user.deletion_requested_at))}
          />,
          await findLoginBrand(ctx, login),
        ),
      }
    },
  }),
  definePage({
    method: 'POST',
    path: '/restore',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      // If the pending sign-in has expired or the account has changed, the user signs in again.
      const result = await restoreAndSignIn(ctx, input, login).catch((error) => void toPageProblem(error, input.reply))
      return { redirect: result ? nextPage(ctx, result, login) : pageUrl(ctx, '/login', login) }
    },
  }),
]

interface RestorePageProps {
  action: string
  csrf: string
  email: string
  day: string
}

const RestorePage = ({ action, csrf, email, day }: RestorePageProps) => (
  <Layout title={t('Restore your account')}>
    <h1>{t('Restore your account?')}</h1>
    <p>
      {rich(
        'The account <b>{email}</b> will be deleted on {day}. Until then you can have it back, with everything in it.',
        { email, day, b: (address) => <strong>{address}</strong> },
      )}
    </p>
    <Form action={action} csrf={csrf}>
      <button type="submit">{t('Restore and sign in')}</button>
    </Form>
    <p class="links">
      <a href="/login">{t('Leave it as it is')}</a>
    </p>
  </Layout>
)
