import type { ComponentChildren } from 'preact'
import type { Ctx } from '../../context.ts'
import { IN_BROWSER, type Person } from '../../http/callers.ts'
import { csrfToken, requireCsrf } from '../../http/csrf.ts'
import { definePage, type Page, type PageAnswer, type PageInput } from '../../http/define-route.ts'
import { type PageProblem, toPageProblem } from '../../http/page-problem.ts'
import { type BrowserSession, findBrowserSession } from '../../sessions/browser-session.ts'
import { signInAddress } from '../../sessions/journey.ts'
import { Field, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'

/** Somebody signed in who looks after their account in the browser. */
export interface Visit extends PageInput {
  caller: Person
  session: BrowserSession
  csrf: string
}

interface AccountPage {
  path: string
  show(ctx: Ctx, visit: Visit, problem?: PageProblem): Promise<PageAnswer> | PageAnswer
  /** What a sent form does; afterwards they go where it says, or see what it answers. */
  act?(ctx: Ctx, visit: Visit): Promise<PageAnswer>
}

/**
 * A page of one's own account: only for those signed in, its forms only from itself, what goes wrong shown on it. Where
 * a sign-in is too old, the way leads over a new one and back.
 */
export function accountPage({ path, show, act }: AccountPage): Page[] {
  const get = definePage({
    method: 'GET',
    path,
    handler: async (ctx, input) => {
      const visit = await receive(ctx, input)
      return visit ? show(ctx, visit) : { redirect: overSignIn(ctx, path, false) }
    },
  })
  if (!act) return [get]
  const post = definePage({
    method: 'POST',
    path,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const visit = await receive(ctx, input)
      if (!visit) return { redirect: overSignIn(ctx, path, false) }
      try {
        return await act(ctx, visit)
      } catch (error) {
        const problem = toPageProblem(error, input.reply)
        if (problem.error.code === 'REAUTHENTICATION_REQUIRED')
          return { redirect: overSignIn(ctx, path, true) }
        const page = await show(ctx, visit, problem)
        return 'html' in page ? { ...page, status: problem.status } : page
      }
    },
  })
  return [get, post]
}

async function receive(ctx: Ctx, input: PageInput): Promise<Visit | undefined> {
  const session = await findBrowserSession(ctx, input)
  if (!session) return undefined
  const { id: sessionId, userId, superAdmin, amr } = session
  const caller: Person = { ...IN_BROWSER, userId, sessionId, superAdmin, amr }
  return { ...input, caller, session, csrf: csrfToken(ctx, input.request, input.reply) }
}

/** The sign-in, which leads back here. */
const overSignIn = (ctx: Ctx, path: string, again: boolean): string =>
  signInAddress(
    ctx,
    { next: path, startedAt: ctx.now().getTime(), formTargets: [], luggage: undefined },
    again,
  )

/** Where the person proves again who they are. Who has no password must have signed in just now instead. */
export const OwnPassword = ({ isSet, describedBy }: { isSet: boolean; describedBy: string | undefined }) =>
  isSet ? (
    <Field
      label="Password"
      name="password"
      type="password"
      autocomplete="current-password"
      describedBy={describedBy}
    />
  ) : null

interface FrameProps {
  title: string
  problem?: PageProblem | undefined
  children: ComponentChildren
}

/** What the pages of an account have in common. */
export const AccountFrame = ({ title, problem, children }: FrameProps) => (
  <Layout title={title}>
    <h1>{title}</h1>
    <Problem message={problem?.message} />
    {children}
    <p class="links">
      <a href="/account">Back to your account</a>
    </p>
  </Layout>
)
