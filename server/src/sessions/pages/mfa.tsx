import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import type { SecondFactor } from '../../users/factors/factors.ts'
import { findLoginBrand } from '../brand.ts'
import { findChallengedUser, listMethods, signInWithCode } from '../challenge.ts'
import { nextPage } from '../establish-session.ts'
import { pageUrl, readLoginTransaction } from '../login-transaction.ts'

const PATH = '/mfa'
const RECOVERY_PATH = '/mfa/recovery'

/** The second-factor page: after the first factor, or when a tenant requires a second factor of a signed-in user. */
export const mfaPages = [...defineChallengePage(PATH), ...defineChallengePage(RECOVERY_PATH)]

function defineChallengePage(path: string) {
  const get = definePage({
    method: 'GET',
    path,
    handler: (ctx, input) => showChallenge(ctx, input, { path }),
  })
  const post = definePage({
    method: 'POST',
    path,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      try {
        const result = await signInWithCode(ctx, input, { code: input.form.get('code') ?? '', login })
        return { redirect: nextPage(ctx, result, login) }
      } catch (error) {
        return showChallenge(ctx, input, { path, problem: toPageProblem(error, input.reply) })
      }
    },
  })
  return [get, post]
}

async function showChallenge(
  ctx: Ctx,
  input: PageInput,
  { path, problem }: { path: string; problem?: PageProblem },
): Promise<PageResult> {
  const login = readLoginTransaction(ctx, input.query.get('journey'))
  const challenged = await findChallengedUser(ctx, input)
  const methods = challenged ? await listMethods(ctx, challenged) : []
  // The pending sign-in has expired, or the user has no second factor.
  if (methods.length === 0) return { redirect: pageUrl(ctx, '/login', login) }
  const props = {
    csrf: createCsrfToken(ctx, input.request, input.reply),
    methods,
    pages: {
      code: pageUrl(ctx, PATH, login),
      recovery: pageUrl(ctx, RECOVERY_PATH, login),
      next: nextPage(ctx, { state: 'signed-in' }, login),
      switchUser: pageUrl(ctx, '/login', login && { ...login, mustReauthenticate: true }),
    },
    problem: problem?.message,
  }
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    html: render(
      path === RECOVERY_PATH ? <RecoveryPage {...props} /> : <MfaPage {...props} />,
      await findLoginBrand(ctx, login),
    ),
  }
}

interface MfaPageProps {
  csrf: string
  methods: SecondFactor[]
  pages: Record<'code' | 'recovery' | 'next' | 'switchUser', string>
  problem: string | undefined
}

const MfaPage = ({ csrf, methods, pages, problem }: MfaPageProps) => (
  <Layout title={t('Second step')}>
    <h1>{t('One more step')}</h1>
    <p>{explain(methods)}</p>
    <Problem message={problem} />
    {methods.includes('passkey') && <PasskeyButton kind="second-factor" next={pages.next} />}
    {methods.includes('passkey') && methods.includes('totp') && <p class="or">{t('or')}</p>}
    {methods.includes('totp') && (
      <Form action={pages.code} csrf={csrf}>
        <Field
          label={t('Code')}
          name="code"
          type="digits"
          autocomplete="one-time-code"
          focus
          describedBy={problem === undefined ? undefined : 'problem'}
        />
        <button type="submit">{t('Continue')}</button>
      </Form>
    )}
    <p class="links">
      {methods.includes('recovery_code') && <a href={pages.recovery}>{t('Use a recovery code')}</a>}
      <a href={pages.switchUser}>{t('Sign in as somebody else')}</a>
    </p>
  </Layout>
)

function explain(methods: SecondFactor[]): string {
  if (!methods.includes('totp')) return t('Use your passkey to finish signing in.')
  return methods.includes('passkey')
    ? t('Use your passkey, or type the code that your authenticator app shows.')
    : t('Type the code that your authenticator app shows.')
}

const RecoveryPage = ({ csrf, methods, pages, problem }: MfaPageProps) => (
  <Layout title={t('Recovery code')}>
    <h1>{t('Use a recovery code')}</h1>
    <p>{t('Type one of the codes that you kept when you set up the second step. Each works once.')}</p>
    <Problem message={problem} />
    <Form action={pages.recovery} csrf={csrf}>
      <Field
        label={t('Recovery code')}
        name="code"
        type="code"
        autocomplete="off"
        focus
        describedBy={problem === undefined ? undefined : 'problem'}
      />
      <button type="submit">{t('Continue')}</button>
    </Form>
    <p class="links">
      <a href={pages.code}>{methods.includes('totp') ? t('Use your authenticator app') : t('Use your passkey')}</a>
      <a href={pages.switchUser}>{t('Sign in as somebody else')}</a>
    </p>
  </Layout>
)
