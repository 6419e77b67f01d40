import type { PageProblem } from '../../http/page-problem.ts'
import { Field, Form } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { GRACE_DAYS } from '../../users/deletion.ts'
import { getSelf } from '../confirm-identity.ts'
import { CONFIRMATION, requestDeletion } from '../deletion/deletion.ts'
import { AccountFrame, accountPage, OwnPassword, type Visit } from './account-page.tsx'

export const deletePages = accountPage({
  path: '/account/delete',
  show: async (ctx, visit, problem) => {
    const { password_hash } = await getSelf(ctx, visit.caller)
    const props = { visit, problem, hasPassword: password_hash !== null }
    return { html: render(<DeletePage {...props} />) }
  },
  act: async (ctx, visit) => {
    const confirmation = visit.form.get('confirmation') ?? ''
    await requestDeletion(ctx, visit, { confirmation, password: visit.form.get('password') ?? '' })
    return { html: render(<GonePage />) }
  },
})

interface DeletePageProps {
  visit: Visit
  problem: PageProblem | undefined
  hasPassword: boolean
}

const DeletePage = ({ visit, problem, hasPassword }: DeletePageProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  return (
    <AccountFrame title="Delete your account" problem={problem}>
      <p>
        You are signed out everywhere and leave every organisation at once. For {GRACE_DAYS} days you can sign
        in and change your mind; then everything we know about you is erased.
      </p>
      <Form action="/account/delete" csrf={visit.csrf}>
        <Field
          label={`Type ${CONFIRMATION}`}
          name="confirmation"
          type="text"
          autocomplete="off"
          describedBy={describedBy}
        />
        <OwnPassword isSet={hasPassword} describedBy={describedBy} />
        <button type="submit" class="danger">
          Delete my account
        </button>
      </Form>
    </AccountFrame>
  )
}

const GonePage = () => (
  <Layout title="Account deleted">
    <h1>Goodbye</h1>
    <p role="status">
      Your account is scheduled for deletion. If you change your mind within {GRACE_DAYS} days, sign in and
      restore it.
    </p>
    <p>
      <a href="/login">Sign in</a>
    </p>
  </Layout>
)
