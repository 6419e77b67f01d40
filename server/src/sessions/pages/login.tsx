import { ssoPath } from '../../config/sso.ts'
import type { Ctx } from '../../context.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { Field, Form, Problem } from '../../ui/form.tsx'
import { Layout } from '../../ui/layout.tsx'
import { PasskeyButton } from '../../ui/passkey-button.tsx'
import { render } from '../../ui/render.ts'
import { rich } from '../../ui/rich-text.ts'
import { typedAddressScript } from '../../ui/scripts.ts'
import { findLoginBrand } from '../brand.ts'
import { findBrowserSession, signOut } from '../browser-session.ts'
import { findCodeOffer } from '../email-codes/policy.ts'
import { nextPage } from '../establish-session.ts'
import { type LoginTransaction, pageUrl, readLoginTransaction } from '../login-transaction.ts'
import { signIn } from '../sign-in.ts'
import { readTypedAddress, urlWithAddress } from '../typed-address.ts'
import { findUsedMethods, type UsedMethod } from '../used-methods.ts'
import { CODE_PATH } from './email-code.tsx'

export const loginPages = [
  definePage({
    method: 'GET',
    path: '/login',
    handler: async (ctx, input) => {
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      // The user may have signed in in another tab, or used the back button.
      const signedIn = !login?.mustReauthenticate && (await findBrowserSession(ctx, input))
      return signedIn ? { redirect: nextPage(ctx, { state: 'signed-in' }, login) } : showLogin(ctx, input, { login })
    },
  }),
  definePage({
    method: 'POST',
    path: '/login',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = readLoginTransaction(ctx, input.query.get('journey'))
      const email = input.form.get('email') ?? ''
      try {
        const password = input.form.get('password') ?? ''
        const result = await signIn(ctx, input, { email, password, login })
        return { redirect: nextPage(ctx, result, login) }
      } catch (error) {
        return showLogin(ctx, input, { login, email, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
  definePage({
    method: 'POST',
    path: '/logout',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      await signOut(ctx, input)
      return { redirect: '/login' }
    },
  }),
]

interface LoginState {
  login: LoginTransaction | undefined
  email?: string
  problem?: PageProblem
}

async function showLogin(ctx: Ctx, input: PageInput, { login, email, problem }: LoginState): Promise<PageResult> {
  const address = email ?? readTypedAddress(ctx, input.query, login)
  const props = {
    csrf: createCsrfToken(ctx, input.request, input.reply),
    application: login?.application,
    email: address,
    problem: problem?.message,
    pages: {
      login: pageUrl(ctx, '/login', login),
      signUp: urlWithAddress(ctx, '/signup', { login, email: address }),
      forgot: urlWithAddress(ctx, '/forgot-password', { login, email: address }),
      next: nextPage(ctx, { state: 'signed-in' }, login),
      restore: nextPage(ctx, { state: 'deletion-scheduled' }, login),
    },
    providers: ctx.config.sso.map((provider) => ({
      name: provider.name,
      label: provider.label,
      path: pageUrl(ctx, ssoPath(provider), login),
    })),
    usedMethods: findUsedMethods(ctx, input),
    codePage: (await findCodeOffer(ctx, login)) && pageUrl(ctx, CODE_PATH, login),
  }
  return {
    status: problem?.status ?? 200,
    formTargets: login?.formTargets ?? [],
    html: render(<LoginPage {...props} />, await findLoginBrand(ctx, login)),
  }
}

interface LoginPageProps {
  csrf: string
  application: string | undefined
  email: string | undefined
  problem: string | undefined
  pages: Record<'login' | 'signUp' | 'forgot' | 'next' | 'restore', string>
  providers: Provider[]
  /** In this browser, the last one first. */
  usedMethods: UsedMethod[]
  /** Where a mailed code is requested; undefined: none is offered. */
  codePage: string | undefined
}

interface Provider {
  name: string
  label: string
  path: string
}

const LoginPage = ({ pages, providers, usedMethods, ...props }: LoginPageProps) => {
  // A passkey is the fastest way, so it is offered first wherever one was used.
  const hasPasskey = usedMethods.includes('passkey')
  const lastProvider = hasPasskey ? undefined : providers.find(({ name }) => name === usedMethods[0])
  const passkeyButton = <PasskeyButton kind="sign-in" next={pages.next} restore={pages.restore} first={hasPasskey} />
  return (
    <Layout title={t('Sign in')}>
      <h1>{t('Sign in')}</h1>
      {props.application !== undefined && (
        <p class="quiet">
          {rich('to continue to <b>{application}</b>', {
            application: props.application,
            b: (name) => <strong>{name}</strong>,
          })}
        </p>
      )}
      <Problem message={props.problem} />
      {hasPasskey && passkeyButton}
      {lastProvider && (
        <>
          <ProviderLink {...lastProvider} />
          <p class="hint">{t('You used this the last time on this device.')}</p>
          <p class="or">{t('or')}</p>
        </>
      )}
      <AddressForm {...props} action={pages.login} usedCode={usedMethods[0] === 'email_code'} />
      {!hasPasskey && passkeyButton}
      {providers
        .filter((provider) => provider !== lastProvider)
        .map((provider) => (
          <ProviderLink key={provider.name} {...provider} second />
        ))}
      <p class="links">
        <a href={pages.forgot}>{t('Forgot your password?')}</a>
        <a href={pages.signUp}>{t('Create an account')}</a>
      </p>
      <script type="module" src={typedAddressScript.path} />
    </Layout>
  )
}

const ProviderLink = ({ path, label, second = false }: Provider & { second?: boolean }) => (
  <a class={second ? 'button second' : 'button'} href={path}>
    {t('Continue with {provider}', { provider: label })}
  </a>
)

interface AddressFormProps extends Pick<LoginPageProps, 'csrf' | 'email' | 'problem' | 'codePage'> {
  action: string
  /** The last sign-in in this browser was with a mailed code. */
  usedCode: boolean
}

/**
 * The address with a password, or with a mailed code. In every field the Enter key presses the first button of the
 * document, which must not ignore a password. So the style sheet alone shows the code first.
 */
const AddressForm = ({ action, csrf, email, problem, codePage, usedCode }: AddressFormProps) => {
  const describedBy = problem === undefined ? undefined : 'problem'
  const isCodeFirst = usedCode && codePage !== undefined
  const fields = (
    <>
      <Field
        label={t('Email address')}
        name="email"
        type="email"
        // The browser offers passkeys in this field (WebAuthn Level 3 §5.1.4).
        autocomplete="username webauthn"
        value={email}
        focus={!email}
        describedBy={describedBy}
      />
      <Field
        label={t('Password')}
        name="password"
        type="password"
        autocomplete="current-password"
        focus={Boolean(email)}
        describedBy={describedBy}
      />
      <button type="submit" class={isCodeFirst ? 'second' : undefined}>
        {t('Sign in')}
      </button>
      {isCodeFirst && <p class="or">{t('or')}</p>}
      {codePage !== undefined && <CodeButton path={codePage} second={!isCodeFirst} />}
    </>
  )
  return (
    <Form action={action} csrf={csrf}>
      {isCodeFirst ? <div class="code-first">{fields}</div> : fields}
    </Form>
  )
}

/** Sends the address without the password. */
const CodeButton = ({ path, second }: { path: string; second: boolean }) => (
  <button type="submit" class={second ? 'second' : undefined} formaction={path} formnovalidate>
    {t('Email me a code')}
  </button>
)
