import type { ComponentChildren } from 'preact'
import type { Ctx } from '../../context.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t, translatable } from '../../languages/translate.ts'
import { Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { ResendButton, tooEarly } from '../../ui/resend-button.tsx'
import { rich } from '../../ui/rich-text.ts'
import { waitingScript } from '../../ui/scripts.ts'
import type { AwaitedLink } from '../awaited-links.ts'
import { findAwaitedSignUp, finishSignUp, isVerified, type Resend, resendSignUpMail } from '../awaited-sign-up.ts'
import { findLoginBrand } from '../brand.ts'
import { findBrowserSession } from '../browser-session.ts'
import { nextPage } from '../establish-session.ts'
import { pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { secondsUntilResend, TOO_MANY_MAILS } from '../resend-time.ts'
import { urlWithAddress } from '../typed-address.ts'

export const WAITING_PATH = '/signup/waiting'

/** The page of the browser that has signed up, until the link in the mail is followed. */
export const waitingPages = [
  definePage({
    method: 'GET',
    path: WAITING_PATH,
    handler: async (ctx, input) => {
      const awaited = await findAwaitedSignUp(ctx, input)
      return awaited ? showWaiting(ctx, input, awaited) : showNothingAwaited(ctx, input)
    },
  }),
  definePage({
    method: 'POST',
    path: WAITING_PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const awaited = await findAwaitedSignUp(ctx, input)
      if (!awaited) return showNothingAwaited(ctx, input)
      const redirect = await finishSignUp(ctx, input, awaited)
      if (redirect !== undefined) return { redirect }
      if (input.form.get('choice') !== 'resend') return showWaiting(ctx, input, awaited, { problem: t(NOT_VERIFIED) })
      const outcome = await resendSignUpMail(ctx, input, awaited)
      const current = (await findAwaitedSignUp(ctx, input)) ?? awaited
      return showWaiting(ctx, input, current, toMessage(outcome, secondsUntilResend(ctx, current)))
    },
  }),
  // The link of the mail to a person who has an account already.
  definePage({
    method: 'GET',
    path: '/signup/sign-in',
    handler: async (ctx, input) => {
      const { login, email } = (await findAwaitedSignUp(ctx, input)) ?? {}
      return { redirect: urlWithAddress(ctx, '/login', { login, email }) }
    },
  }),
]

const NOT_VERIFIED = translatable('Your address is not confirmed yet. Follow the link in the newest mail first.')

interface Message {
  isResent?: boolean
  problem?: string
}

function toMessage(outcome: Resend, seconds: number): Message {
  if (outcome === 'sent') return { isResent: true }
  if (outcome === 'too-early') return { problem: tooEarly(seconds) }
  return { problem: t(TOO_MANY_MAILS) }
}

/** Shows what the browser waits for, or that it can continue. */
async function showWaiting(
  ctx: Ctx,
  input: PageInput,
  awaited: AwaitedLink,
  message: Message = {},
): Promise<PageResult> {
  const { email, login } = awaited
  const frame = {
    action: pageUrl(ctx, WAITING_PATH, login),
    csrf: createCsrfToken(ctx, input.request, input.reply),
    application: login?.application,
  }
  const page = (await isVerified(ctx, awaited)) ? (
    <VerifiedPage {...frame} />
  ) : (
    <WaitingPage
      {...frame}
      {...message}
      email={email}
      seconds={secondsUntilResend(ctx, awaited)}
      signUp={urlWithAddress(ctx, '/signup', { login, email })}
      signIn={urlWithAddress(ctx, '/login', { login, email })}
    />
  )
  const formTargets = login?.formTargets ?? []
  return {
    status: message.problem === undefined ? 200 : 422,
    formTargets,
    html: render(page, await findLoginBrand(ctx, login)),
  }
}

/** The link was followed in another tab, which has continued, or it was not followed in time. */
async function showNothingAwaited(ctx: Ctx, input: PageInput): Promise<PageResult> {
  const login = readLoginTransaction(ctx, input.query.get('journey'))
  if (!(await findBrowserSession(ctx, input))) return { redirect: pageUrl(ctx, '/login', login) }
  const next = nextPage(ctx, { state: 'signed-in' }, login)
  return { html: render(<SignedInPage next={next} />, await findLoginBrand(ctx, login)) }
}

interface FrameProps {
  action: string
  csrf: string
  application: string | undefined
}

const VerifiedPage = ({ action, csrf, application }: FrameProps) => (
  <Layout title={t('Address confirmed')}>
    <h1>{t('Your address is confirmed')}</h1>
    <p role="status">
      {application === undefined ? t('You can continue.') : t('You can continue to {application}.', { application })}
    </p>
    <Form action={action} csrf={csrf} continues>
      <button type="submit">{t('Continue')}</button>
    </Form>
    <script type="module" src={waitingScript.path} />
  </Layout>
)

interface WaitingProps extends FrameProps, Message {
  email: string
  seconds: number
  signUp: string
  signIn: string
}

const WaitingPage = ({ action, csrf, email, seconds, signUp, signIn, isResent, problem }: WaitingProps) => (
  <Layout title={t('Check your mailbox')}>
    <h1>{t('Check your mailbox')}</h1>
    <p role="status" data-waiting={action}>
      {explainMail(email, isResent)}
    </p>
    <p class="quiet">
      {t('In this browser the link signs you in. On another device it only confirms the address: come back here then.')}{' '}
      <span data-by-itself hidden>
        {t('This page continues by itself.')}
      </span>
    </p>
    <Problem message={problem} />
    <Form action={action} csrf={csrf}>
      <button type="submit">{t('I have followed the link')}</button>
    </Form>
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="choice" value="resend" />
      <ResendButton seconds={seconds} />
    </Form>
    <p class="links">
      <a href={signUp}>{t('Use another address')}</a>
      <a href={signIn}>{t('I have an account already')}</a>
    </p>
    <script type="module" src={waitingScript.path} />
  </Layout>
)

function explainMail(email: string, isResent = false) {
  const values = { email, b: (address: ComponentChildren) => <strong>{address}</strong> }
  return isResent
    ? rich(
        'We have sent another mail to <b>{email}</b>. Follow its link to confirm that the address is yours. Only the link in the newest mail works.',
        values,
      )
    : rich('We have sent a mail to <b>{email}</b>. Follow its link to confirm that the address is yours.', values)
}

const SignedInPage = ({ next }: { next: string }) => (
  <Layout title={t('Signed in')}>
    <h1>{t('You are signed in')}</h1>
    <p role="status">{t('You have continued in another window, and can close this one.')}</p>
    <a class="button second" href={next}>
      {t('Continue here')}
    </a>
  </Layout>
)
