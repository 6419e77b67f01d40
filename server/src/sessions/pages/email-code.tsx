import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { findLoginBrand } from '../brand.ts'
import { findAskingBrowser } from '../email-codes/asking-browser.ts'
import { findCodeOffer } from '../email-codes/policy.ts'
import { requestCode } from '../email-codes/request.ts'
import { signInWithMailedCode } from '../email-codes/sign-in.ts'
import { nextPage } from '../establish-session.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'

/** Asks for the address, then for the code that was mailed to it. */
export const CODE_PATH = '/login/code'
const CHECK_PATH = '/login/code/check'

export const emailCodePages = [
  definePage({
    method: 'GET',
    path: CODE_PATH,
    handler: async (ctx, input) => {
      const login = readLogin(ctx, input)
      if (!(await findCodeOffer(ctx, login))) return { redirect: pageUrl(ctx, '/login', login) }
      return showPage(ctx, input, { login, email: findAskingBrowser(ctx, input)?.email })
    },
  }),
  definePage({
    method: 'POST',
    path: CODE_PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLogin(ctx, input)
      try {
        await requestCode(ctx, input, { email: input.form.get('email') ?? '', login })
        return { redirect: pageUrl(ctx, CODE_PATH, login) }
      } catch (error) {
        return showPage(ctx, input, { login, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
  definePage({
    method: 'POST',
    path: CHECK_PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLogin(ctx, input)
      try {
        const result = await signInWithMailedCode(ctx, input, { code: input.form.get('code') ?? '', login })
        return { redirect: nextPage(ctx, result, login) }
      } catch (error) {
        const email = findAskingBrowser(ctx, input)?.email
        return showPage(ctx, input, { login, email, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
]

const readLogin = (ctx: Ctx, { query }: PageInput) => readLoginTransaction(ctx, query.get('journey'))

interface CodeState {
  login: LoginTransaction | undefined
  /** The address that the code was mailed to; undefined: there is none yet. */
  email?: string | undefined
  problem?: PageProblem
}

async function showPage(ctx: Ctx, input: PageInput, { login, email, problem }: CodeState): Promise<PageResult> {
  const props = {
    csrf: createCsrfToken(ctx, input.request, input.reply),
    problem: problem?.message,
    pages: {
      request: pageUrl(ctx, CODE_PATH, login),
      check: pageUrl(ctx, CHECK_PATH, login),
      login: pageUrl(ctx, '/login', login),
    },
  }
  const page =
    email === undefined ? (
      <RequestPage {...props} email={input.form.get('email') ?? login?.loginHint} />
    ) : (
      <CheckPage {...props} email={email} />
    )
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    html: render(page, await findLoginBrand(ctx, login)),
  }
}

interface PageProps {
  csrf: string
  problem: string | undefined
  pages: Record<'request' | 'check' | 'login', string>
}

const RequestPage = ({ csrf, problem, pages, email }: PageProps & { email: string | undefined }) => (
  <Layout title={t('Sign in with a code')}>
    <h1>{t('Sign in with a code')}</h1>
    <p>{t('We mail you a code of six digits. It works for ten minutes, in this browser.')}</p>
    <Problem message={problem} />
    <Form action={pages.request} csrf={csrf}>
      <Field
        label={t('Email address')}
        name="email"
        type="email"
        autocomplete="username"
        value={email}
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">{t('Email me a code')}</button>
    </Form>
    <p class="links">
      <a href={pages.login}>{t('Sign in another way')}</a>
    </p>
  </Layout>
)

const CheckPage = ({ csrf, problem, pages, email }: PageProps & { email: string }) => (
  <Layout title={t('Type your code')}>
    <h1>{t('Check your mail')}</h1>
    <p>
      {rich('If <b>{email}</b> has an account here, a code is on its way. It works for ten minutes, in this browser.', {
        email,
        b: (address) => <strong>{address}</strong>,
      })}
    </p>
    <Problem message={problem} />
    <Form action={pages.check} csrf={csrf}>
      <Field
        label={t('Code')}
        name="code"
        type="digits"
        autocomplete="one-time-code"
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">{t('Sign in')}</button>
    </Form>
    <Form action={pages.request} csrf={csrf}>
      <input type="hidden" name="email" value={email} />
      <button type="submit" class="second">
        {t('Send another code')}
      </button>
    </Form>
    <p class="links">
      <a href={pages.login}>{t('Sign in another way')}</a>
    </p>
  </Layout>
)
