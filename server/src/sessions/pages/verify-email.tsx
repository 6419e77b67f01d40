import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { render } from '../../ui/render.ts'
import type { AwaitedLink } from '../awaited-links.ts'
import { findAwaitedSignUp, finishSignUp, isAwaitedElsewhere, isVerified } from '../awaited-sign-up.ts'
import { findLoginBrand, findUrlBrand, urlWithClient } from '../brand.ts'
import { findBrowserSession } from '../browser-session.ts'
import { DEFAULT_PAGE } from '../establish-session.ts'
import { pageUrl } from '../login-transaction.ts'
import { PASSWORD_NEEDED, rejectLink } from '../mailed-links.ts'
import { type Confirmation, findConfirmation, verifyEmail } from '../sign-up.ts'
import { ConfirmPage, DeadLinkPage, RejectedPage, VerifiedPage } from './verify-email-views.tsx'

export const verifyEmailPages = [
  definePage({
    method: 'GET',
    path: '/verify-email',
    // Mail scanners follow links, so a GET must not use the link up.
    handler: async (ctx, input) => {
      const visit = await readVisit(ctx, input, input.query.get('token') ?? '')
      return visit ? showConfirm(ctx, input, visit) : showDeadLink(ctx, input)
    },
  }),
  definePage({
    method: 'POST',
    path: '/verify-email',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const visit = await readVisit(ctx, input, input.form.get('token') ?? '')
      if (!visit) return showDeadLink(ctx, input)
      if (input.form.get('choice') === 'reject') return reject(ctx, input, visit)
      try {
        return await confirm(ctx, input, visit)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'INVALID_TOKEN') throw error
        if (error.details !== PASSWORD_NEEDED) return showDeadLink(ctx, input)
        return showConfirm(ctx, input, visit, error)
      }
    },
  }),
]

/** A valid link that was opened in this browser. */
interface Visit {
  token: string
  link: Confirmation
  /** The sign-up of this browser, if the link belongs to it. Only then does the link sign in. */
  awaited: AwaitedLink | undefined
  /** The user of the link is signed in here. */
  isSignedIn: boolean
}

async function readVisit(ctx: Ctx, input: PageInput, token: string): Promise<Visit | undefined> {
  const link = await findConfirmation(ctx, token)
  if (!link) return undefined
  const awaited = await findAwaitedSignUp(ctx, input)
  const isOwn = link.purpose === 'verify-email' && awaited?.userId === link.userId && awaited.email === link.email
  const session = await findBrowserSession(ctx, input)
  return { token, link, awaited: isOwn ? awaited : undefined, isSignedIn: session?.userId === link.userId }
}

async function showConfirm(
  ctx: Ctx,
  input: PageInput,
  { token, link, awaited, isSignedIn }: Visit,
  problem?: AppError,
): Promise<PageResult> {
  const needsPassword = problem !== undefined
  const isProven = link.passwordHash === null || link.passwordHash === awaited?.passwordHash
  const page = (
    <ConfirmPage
      action={urlWithClient('/verify-email', {}, input.query.get('client_id'))}
      token={token}
      csrf={createCsrfToken(ctx, input.request, input.reply)}
      email={link.email}
      isChange={link.purpose === 'change-email'}
      isOwn={awaited !== undefined || isSignedIn}
      continues={awaited !== undefined && isProven && !needsPassword}
      problem={problem?.message}
    />
  )
  const brand = await findBrandOf(ctx, input, awaited)
  const formTargets = awaited?.login?.formTargets ?? []
  return { status: problem?.status ?? 200, formTargets, html: render(page, brand) }
}

async function confirm(ctx: Ctx, input: PageInput, { token, link, awaited, isSignedIn }: Visit): Promise<PageResult> {
  const { request, form } = input
  const ownPasswordHash = awaited?.passwordHash
  await verifyEmail(ctx, { token, password: form.get('password'), ownPasswordHash, request })
  const redirect = awaited && (await finishSignUp(ctx, input, awaited))
  if (redirect !== undefined) return { redirect }
  const isChange = link.purpose === 'change-email'
  const isWaiting = !isChange && !awaited && (await isAwaitedElsewhere(ctx, link.userId))
  const page = <VerifiedPage email={link.email} isSignedIn={isSignedIn} isWaiting={isWaiting} />
  return { html: render(page, await findUrlBrand(ctx, input.query)) }
}

const findBrandOf = (ctx: Ctx, { query }: PageInput, awaited: AwaitedLink | undefined) =>
  awaited?.login ? findLoginBrand(ctx, awaited.login) : findUrlBrand(ctx, query)

/** For a person who has got the mail because somebody else has entered their address. */
async function reject(ctx: Ctx, input: PageInput, { token, link: { purpose } }: Visit): Promise<PageResult> {
  await rejectLink(ctx, { purpose, token })
  return { html: render(<RejectedPage />, await findUrlBrand(ctx, input.query)) }
}

/** The link was used, replaced by a newer one, or has expired. */
async function showDeadLink(ctx: Ctx, input: PageInput): Promise<PageResult> {
  const awaited = await findAwaitedSignUp(ctx, input)
  const waitingPage = pageUrl(ctx, '/signup/waiting', awaited?.login)
  if (awaited && (await isVerified(ctx, awaited))) return { redirect: waitingPage }
  const session = await findBrowserSession(ctx, input)
  const page = (
    <DeadLinkPage
      isVerified={session?.emailVerified === true}
      next={session ? DEFAULT_PAGE : awaited ? waitingPage : undefined}
    />
  )
  return { status: 400, html: render(page, await findBrandOf(ctx, input, awaited)) }
}
