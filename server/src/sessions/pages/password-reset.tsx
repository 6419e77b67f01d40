import type { Ctx } from '../../context.ts'
import { listWrongFields, type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { render } from '../../ui/render.ts'
import type { AwaitedLink } from '../awaited-links.ts'
import { beginReset, findAwaitedReset, finishReset, resendReset } from '../awaited-reset.ts'
import { findLoginBrand, findUrlBrand, urlWithClient } from '../brand.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { findResetAddress } from '../password-reset.ts'
import { secondsUntilResend } from '../resend-time.ts'
import { readTypedAddress, urlWithAddress } from '../typed-address.ts'
import { ChoosePage, DeadLinkPage, ForgotPage, MailedPage, ResetPage } from './password-reset-views.tsx'

export const passwordResetPages = [
  definePage({
    method: 'GET',
    path: '/forgot-password',
    handler: (ctx, input) => showForgot(ctx, input, readLoginTransaction(ctx, input.query.get('journey'))),
  }),
  definePage({
    method: 'POST',
    path: '/forgot-password',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      const email = input.form.get('email') ?? ''
      try {
        return await requestLink(ctx, input, { email, login })
      } catch (error) {
        return showForgot(ctx, input, login, toPageProblem(error, input.reply))
      }
    },
  }),
  definePage({
    method: 'GET',
    path: '/reset-password',
    handler: (ctx, input) => showReset(ctx, input, input.query.get('token') ?? ''),
  }),
  definePage({
    method: 'POST',
    path: '/reset-password',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const token = input.form.get('token') ?? ''
      try {
        const newPassword = input.form.get('newPassword') ?? ''
        const { email, next } = await finishReset(ctx, input, { token, newPassword })
        if (next !== undefined) return { redirect: next }
        const signIn = urlWithAddress(ctx, '/login', { login: undefined, email })
        return { html: render(<ResetPage signIn={signIn} />, await findUrlBrand(ctx, input.query)) }
      } catch (error) {
        return showReset(ctx, input, token, toPageProblem(error, input.reply))
      }
    },
  }),
]

/** The same address again is the button that asks for another mail. */
async function requestLink(
  ctx: Ctx,
  input: PageInput,
  { email, login }: { email: string; login: LoginTransaction | undefined },
): Promise<PageResult> {
  const awaited = await findAwaitedReset(ctx, input)
  if (input.form.get('choice') !== 'resend' || awaited?.email !== email) {
    return showMailed(ctx, input, await beginReset(ctx, input, { email, login }))
  }
  const isSent = await resendReset(ctx, input, awaited)
  const current = (await findAwaitedReset(ctx, input)) ?? awaited
  return showMailed(ctx, input, current, isSent ? 'sent' : 'too-early')
}

async function showMailed(
  ctx: Ctx,
  input: PageInput,
  awaited: AwaitedLink,
  resend?: 'sent' | 'too-early',
): Promise<PageResult> {
  const { email, login } = awaited
  const page = (
    <MailedPage
      action={pageUrl(ctx, '/forgot-password', login)}
      other={urlWithAddress(ctx, '/forgot-password', { login, email })}
      signIn={urlWithAddress(ctx, '/login', { login, email })}
      csrf={createCsrfToken(ctx, input.request, input.reply)}
      email={email}
      seconds={secondsUntilResend(ctx, awaited)}
      resend={resend}
    />
  )
  const status = resend === 'too-early' ? 422 : 200
  return { status, html: render(page, await findLoginBrand(ctx, login)) }
}

async function showForgot(
  ctx: Ctx,
  input: PageInput,
  login: LoginTransaction | undefined,
  problem?: PageProblem,
): Promise<PageResult> {
  const email = input.form.get('email') ?? readTypedAddress(ctx, input.query, login)
  const page = (
    <ForgotPage
      action={pageUrl(ctx, '/forgot-password', login)}
      signIn={urlWithAddress(ctx, '/login', { login, email })}
      csrf={createCsrfToken(ctx, input.request, input.reply)}
      email={email}
      problem={problem?.message}
    />
  )
  return { status: problem?.status ?? 200, html: render(page, await findLoginBrand(ctx, login)) }
}

async function showReset(ctx: Ctx, input: PageInput, token: string, problem?: PageProblem): Promise<PageResult> {
  const brand = await findUrlBrand(ctx, input.query)
  const email = await findResetAddress(ctx, token)
  if (email === undefined) {
    const awaited = await findAwaitedReset(ctx, input)
    const again = urlWithAddress(ctx, '/forgot-password', { login: awaited?.login, email: awaited?.email })
    const signIn = urlWithAddress(ctx, '/login', { login: awaited?.login, email: awaited?.email })
    return { status: 400, html: render(<DeadLinkPage again={again} signIn={signIn} />, brand) }
  }
  const awaited = await findAwaitedReset(ctx, input)
  const page = (
    <ChoosePage
      action={urlWithClient('/reset-password', {}, input.query.get('client_id'))}
      token={token}
      csrf={createCsrfToken(ctx, input.request, input.reply)}
      email={email}
      problem={problem?.message}
      isPasswordWrong={listWrongFields(problem, 'newPassword').includes('newPassword')}
    />
  )
  const formTargets = awaited?.login?.formTargets ?? []
  return { status: problem?.status ?? 200, formTargets, html: render(page, brand) }
}
