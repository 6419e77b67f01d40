import { csrfToken, requireCsrf } from '../../http/csrf.ts'
import { definePage } from '../../http/define-route.ts'
import { toPageProblem } from '../../http/page-problem.ts'
import { Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { erasedAt } from '../../users/deletion.ts'
import { wayOn } from '../arrival.ts'
import { brandOf } from '../brand.ts'
import { openJourney, pageOf } from '../journey.ts'
import { findReturning, returnHome } from '../restore.ts'

/** For whoever signs in to an account that is about to be deleted. */
export const restorePages = [
  definePage({
    method: 'GET',
    path: '/restore',
    handler: async (ctx, input) => {
      const journey = openJourney(ctx, input.query.get('journey'))
      const user = await findReturning(ctx, input)
      if (!user?.deletion_requested_at) return { redirect: pageOf(ctx, '/login', journey) }
      return {
        formTargets: journey?.formTargets ?? [],
        html: render(
          <RestorePage
            action={pageOf(ctx, '/restore', journey)}
            csrf={csrfToken(ctx, input.request, input.reply)}
            email={user.email}
            day={erasedAt(user.deletion_requested_at).toISOString().slice(0, 10)}
          />,
          await brandOf(ctx, journey),
        ),
      }
    },
  }),
  definePage({
    method: 'POST',
    path: '/restore',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const journey = openJourney(ctx, input.query.get('journey'))
      // Who comes too late, or whose account has changed meanwhile, signs in again.
      const arrival = await returnHome(ctx, input, journey).catch(
        (error) => void toPageProblem(error, input.reply),
      )
      return { redirect: arrival ? wayOn(ctx, arrival, journey) : pageOf(ctx, '/login', journey) }
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
  <Layout title="Restore your account">
    <h1>Restore your account?</h1>
    <p>
      The account <strong>{email}</strong> will be deleted on {day}. Until then you can have it back, with
      everything in it.
    </p>
    <Form action={action} csrf={csrf}>
      <button type="submit">Restore and sign in</button>
    </Form>
    <p class="links">
      <a href="/login">Leave it as it is</a>
    </p>
  </Layout>
)
