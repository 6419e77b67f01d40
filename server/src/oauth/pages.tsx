import { storeDocumentClient } from '../applications/documents/clients.ts'
import { userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { AppError, OAuthError } from '../errors.ts'
import { createCsrfToken, requireCsrf } from '../http/request/csrf.ts'
import { redirectToGet } from '../http/request/redirect-to-get.ts'
import { definePage, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import { type Fields, toFields } from '../lib/fields.ts'
import { findLoginBrand } from '../sessions/brand.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { readLoginTransaction, signInUrl, urlWithLogin } from '../sessions/login-transaction.ts'
import { render } from '../ui/render.ts'
import {
  type Authorization,
  type AuthorizationState,
  CONTINUE_PATH,
  dispatch,
  respondWithError,
  resume,
  type ShowStep,
} from './authorize.ts'
import { readRedirectTarget } from './authorize-request.ts'
import { describeTarget } from './authorize-response.tsx'
import { grantConsent } from './consent.ts'
import { consentScopesOf, shownScopesOf } from './consent-scopes.ts'
import { limitStoring } from './document-clients.ts'
import { resolvePushed } from './pushed-requests/reference.ts'
import { resolveRequestObjectOrShow } from './request-objects/resolve.ts'
import { AccountPage, ConsentPage, TenantPage } from './step-pages.tsx'

const PATHS = {
  account: '/oauth/authorize/account',
  tenant: '/oauth/authorize/tenant',
  consent: '/oauth/authorize/consent',
}

export const authorizePages = [
  definePage({
    method: 'GET',
    path: '/oauth/authorize',
    allowsSupport: true,
    handler: (ctx, input) => start(ctx, input, input.query),
  }),
  definePage({
    method: 'POST',
    path: '/oauth/authorize',
    allowsSupport: true,
    handler: (ctx, input) => redirectToGet(input) ?? start(ctx, input, input.form),
  }),
  definePage({
    method: 'GET',
    path: CONTINUE_PATH,
    allowsSupport: true,
    handler: (ctx, input) => resume(ctx, input, { login: getLogin(ctx, input.query), show: showStep(ctx, input) }),
  }),
  defineStepForm(PATHS.account, async (ctx, { form, login }) =>
    form.get('choice') === 'other'
      ? { answer: { redirect: signInUrl(ctx, login, { mustReauthenticate: true }) } }
      : { state: { ...login.state, account: form.get('session') ?? '' } },
  ),
  defineStepForm(PATHS.tenant, async (_ctx, { form, login }) => ({
    state: { ...login.state, tenantId: form.get('tenant') ?? '' },
  })),
  defineStepForm(PATHS.consent, async (ctx, { form, login, userId, request }) => {
    const target = await readRedirectTarget(ctx, request, toFields(login.state.fields))
    if (form.get('decision') !== 'allow') {
      const { pushed } = login.state
      const error = new OAuthError('access_denied', 'The user did not consent.')
      return { answer: await respondWithError(ctx, request, { target, pushed }, error) }
    }
    const { tenantId, scopes } = login.state.consent ?? { tenantId: undefined, scopes: [] }
    await limitStoring(ctx, target.client, userId)
    const client = await storeDocumentClient(ctx, target.client, { actor: userActor(userId), request })
    const consent = { userId, tenantId, scopes, client, request }
    await ctx.db.transaction().execute((tx) => grantConsent(ctx, tx, consent))
    return { state: login.state }
  }),
]

async function start(ctx: Ctx, input: PageInput, fields: Fields): Promise<PageResult> {
  const show = showStep(ctx, input)
  const parameters = await resolvePushed(ctx, input.request, fields)
  // The request object of a pushed request was verified when it was pushed.
  if (parameters.pushed !== undefined) return dispatch(ctx, input, { ...parameters, show })
  return dispatch(ctx, input, { ...(await resolveRequestObjectOrShow(ctx, input.request, fields)), show })
}

function getLogin(ctx: Ctx, query: Fields): Authorization {
  const login = readLoginTransaction(ctx, query.get('journey'))
  if (login?.next === CONTINUE_PATH) return login as Authorization
  throw new AppError('INVALID_REQUEST', {
    message: t('This sign-in has taken too long or was cut off. Go back to the application and start again.'),
  })
}

interface StepSubmission {
  request: PageInput['request']
  form: Fields
  login: Authorization
  userId: string
}

/** Handles the form of a step. It updates the state, and `dispatch` decides the next step. */
function defineStepForm(
  path: string,
  submit: (ctx: Ctx, submission: StepSubmission) => Promise<{ state: AuthorizationState } | { answer: PageResult }>,
) {
  return definePage({
    method: 'POST',
    path,
    handler: async (ctx, input): Promise<PageResult> => {
      requireCsrf(ctx, input.request, input.form)
      const login = getLogin(ctx, input.query)
      const session = await findBrowserSession(ctx, input)
      // The session has ended or belongs to another user than the page was shown to.
      if (!session || session.userId !== login.state.viewer) {
        return { redirect: urlWithLogin(ctx, CONTINUE_PATH, login) }
      }
      const result = await submit(ctx, {
        request: input.request,
        form: input.form,
        login,
        userId: session.userId,
      })
      if ('answer' in result) return result.answer
      return {
        redirect: urlWithLogin(ctx, CONTINUE_PATH, { ...login, state: result.state }),
      }
    },
  })
}

const showStep =
  (ctx: Ctx, { request, reply }: PageInput): ShowStep =>
  async (step, authorizeRequest, login) => {
    const { client, resource } = authorizeRequest
    const viewer = step.session.userId
    const consent = step.kind === 'consent' && {
      consent: { tenantId: step.tenant?.id, scopes: consentScopesOf(authorizeRequest) },
    }
    const shownLogin = { ...login, state: { ...login.state, viewer, ...consent } }
    const props = {
      action: urlWithLogin(ctx, PATHS[step.kind], shownLogin),
      csrf: createCsrfToken(ctx, request, reply),
      application: client.applicationName,
      session: step.session,
      otherAccount: signInUrl(ctx, { ...login, loginHint: undefined }, { mustReauthenticate: true }),
    }
    const page = () => {
      if (step.kind === 'account') return <AccountPage {...props} />
      if (step.kind === 'tenant') return <TenantPage {...props} memberships={step.memberships} />
      const tenant = step.tenant?.name
      const scopes = shownScopesOf(authorizeRequest)
      const { redirectUri } = authorizeRequest
      return (
        <ConsentPage
          {...props}
          {...{ client, redirectUri, scopes, resource, tenant }}
          target={describeTarget(redirectUri)}
        />
      )
    }
    return { html: render(page(), await findLoginBrand(ctx, login, viewer)), formTargets: login.formTargets }
  }
