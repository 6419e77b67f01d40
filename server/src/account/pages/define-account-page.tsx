import type { ComponentChildren } from 'preact'
import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { COOKIE_PERSON, type Person } from '../../http/routing/callers.ts'
import { definePage, type Page, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { type BrowserSession, findBrowserSession } from '../../sessions/browser-session.ts'
import { signInUrl } from '../../sessions/login-transaction.ts'
import { Field, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'

/** The input of a page with the signed-in person. */
export interface AccountPageInput extends PageInput {
  caller: Person
  session: BrowserSession
  csrf: string
}

interface AccountPage {
  path: string
  show(ctx: Ctx, input: AccountPageInput, problem?: PageProblem): Promise<PageResult> | PageResult
  /** Handles the submitted form. Errors are shown on the page. */
  submit?(ctx: Ctx, input: AccountPageInput): Promise<PageResult>
}

/**
 * Defines a page of the person's own account. It requires a session and, for forms, a CSRF token. When the session is
 * missing or too old, the page redirects to the sign-in, which returns here.
 */
export function defineAccountPage({ path, show, submit }: AccountPage): Page[] {
  const get = definePage({
    method: 'GET',
    path,
    handler: async (ctx, pageInput) => {
      const input = await toAccountInput(ctx, pageInput)
      return input ? show(ctx, input) : { redirect: signInPath(ctx, path) }
    },
  })
  if (!submit) return [get]
  const post = definePage({
    method: 'POST',
    path,
    handler: async (ctx, pageInput) => {
      requireCsrf(ctx, pageInput.request, pageInput.form)
      const input = await toAccountInput(ctx, pageInput)
      if (!input) return { redirect: signInPath(ctx, path) }
      try {
        return await submit(ctx, input)
      } catch (error) {
        const problem = toPageProblem(error, input.reply)
        if (problem.error.code === 'REAUTHENTICATION_REQUIRED')
          return { redirect: signInPath(ctx, path, { mustReauthenticate: true }) }
        const page = await show(ctx, input, problem)
        return 'html' in page ? { ...page, status: problem.status } : page
      }
    },
  })
  return [get, post]
}

/** Undefined when nobody is signed in. */
async function toAccountInput(ctx: Ctx, input: PageInput): Promise<AccountPageInput | undefined> {
  const session = await findBrowserSession(ctx, input)
  if (!session) return undefined
  return { ...input, caller: toCaller(session), session, csrf: createCsrfToken(ctx, input.request, input.reply) }
}

export const toCaller = ({ id: sessionId, userId, superAdmin, amr }: BrowserSession): Person => ({
  ...COOKIE_PERSON,
  userId,
  sessionId,
  superAdmin,
  amr,
})

/** The sign-in page, which returns to `path`. */
const signInPath = (ctx: Ctx, path: string, options?: { mustReauthenticate: boolean }): string =>
  signInUrl(ctx, { next: path, startedAt: ctx.now().getTime(), formTargets: [], state: undefined }, options)

interface CurrentPasswordFieldProps {
  hasPassword: boolean
  describedBy: string | undefined
}

/** The field to reauthenticate with. A person without a password needs a recent sign-in instead. */
export const CurrentPasswordField = ({ hasPassword, describedBy }: CurrentPasswordFieldProps) =>
  hasPassword ? (
    <Field
      label={t('Password')}
      name="password"
      type="password"
      autocomplete="current-password"
      describedBy={describedBy}
    />
  ) : null

interface FrameProps {
  title: string
  /** The sentence below the title. */
  lead?: string
  /** The page of the console with the same content, relative to `/console/account`. */
  consolePage?: string
  problem?: PageProblem | undefined
  children: ComponentChildren
}

/** The common layout of the account pages. */
export const AccountFrame = ({ title, lead, consolePage, problem, children }: FrameProps) => (
  <Layout title={title}>
    <h1>{title}</h1>
    {lead !== undefined && <p class="quiet">{lead}</p>}
    <Problem message={problem?.message} />
    {children}
    <p class="links">
      <a href="/account">{t('Back to my account')}</a>
      {consolePage !== undefined && <a href={`/console/account${consolePage}`}>{t('Open in the console')}</a>}
    </p>
  </Layout>
)

interface SectionProps {
  title: string
  lead?: string
  children?: ComponentChildren
}

/** A section of an account page. The console has sections with the same titles in the same order. */
export const AccountSection = ({ title, lead, children }: SectionProps) => (
  <section>
    <h2>{title}</h2>
    {lead !== undefined && <p class="quiet">{lead}</p>}
    {children}
  </section>
)
