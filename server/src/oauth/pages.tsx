import type { Ctx } from '../context.ts'
import { AppError, OAuthError } from '../errors.ts'
import { comeAgainByGet } from '../http/come-again.ts'
import { csrfToken, requireCsrf } from '../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../http/define-route.ts'
import type { Fields } from '../lib/fields.ts'
import { toFields } from '../lib/fields.ts'
import { brandOf } from '../sessions/brand.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { openJourney, signInAddress, withJourney } from '../sessions/journey.ts'
import { render } from '../ui/render.ts'
import {
  type AuthorizeJourney,
  CONTINUE_PATH,
  dispatch,
  type Luggage,
  refusal,
  resume,
  type ShowStep,
} from './authorize.ts'
import { readReturnAddress } from './authorize-request.ts'
import { consent } from './consent.ts'
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
    handler: (ctx, input) => dispatch(ctx, input, { fields: input.query, show: showStep(ctx, input) }),
  }),
  definePage({
    method: 'POST',
    path: '/oauth/authorize',
    handler: (ctx, input) =>
      comeAgainByGet(input) ?? dispatch(ctx, input, { fields: input.form, show: showStep(ctx, input) }),
  }),
  definePage({
    method: 'GET',
    path: CONTINUE_PATH,
    handler: (ctx, input) =>
      resume(ctx, input, { journey: getJourney(ctx, input.query), show: showStep(ctx, input) }),
  }),
  answerStep(PATHS.account, async (ctx, { form, journey }) =>
    form.get('choice') === 'other'
      ? { leave: signInAddress(ctx, journey, true) }
      : { luggage: { ...journey.luggage, account: form.get('session') ?? '' } },
  ),
  answerStep(PATHS.tenant, async (_ctx, { form, journey }) => ({
    luggage: { ...journey.luggage, tenantId: form.get('tenant') ?? '' },
  })),
  answerStep(PATHS.consent, async (ctx, { form, journey, userId, request }) => {
    const address = await readReturnAddress(ctx, toFields(journey.luggage.fields))
    if (form.get('decision') !== 'allow') {
      const denied = new OAuthError('access_denied', 'The person did not consent.')
      return { leave: refusal(ctx, address, denied) }
    }
    const { tenantId, scopes } = journey.luggage.consent ?? { tenantId: undefined, scopes: [] }
    await consent(ctx, { userId, tenantId, scopes, client: address.client, request })
    return { luggage: journey.luggage }
  }),
]

function getJourney(ctx: Ctx, query: Fields): AuthorizeJourney {
  const journey = openJourney(ctx, query.get('journey'))
  if (journey?.next === CONTINUE_PATH) return journey as AuthorizeJourney
  throw new AppError('INVALID_REQUEST', {
    message: 'This sign-in has taken too long or was cut off. Go back to the application and start again.',
  })
}

interface StepAnswer {
  request: PageInput['request']
  form: Fields
  journey: AuthorizeJourney
  userId: string
}

/** The form of a step: what it changes is taken along, and the dispatcher decides what comes next. */
function answerStep(
  path: string,
  act: (ctx: Ctx, answer: StepAnswer) => Promise<{ luggage: Luggage } | { leave: string }>,
) {
  return definePage({
    method: 'POST',
    path,
    handler: async (ctx, input): Promise<PageAnswer> => {
      requireCsrf(ctx, input.request, input.form)
      const journey = getJourney(ctx, input.query)
      const session = await findBrowserSession(ctx, input)
      // Signed out, or somebody else by now: the page was not theirs, so they are shown their own.
      if (!session || session.userId !== journey.luggage.viewer) {
        return { redirect: withJourney(ctx, CONTINUE_PATH, journey) }
      }
      const result = await act(ctx, {
        request: input.request,
        form: input.form,
        journey,
        userId: session.userId,
      })
      if ('leave' in result) {
        return { redirect: result.leave }
      }
      return {
        redirect: withJourney(ctx, CONTINUE_PATH, { ...journey, luggage: result.luggage }),
      }
    },
  })
}

const showStep =
  (ctx: Ctx, { request, reply }: PageInput): ShowStep =>
  async (step, { client, scopes }, journey) => {
    const viewer = step.session.userId
    const asked = step.kind === 'consent' ? { consent: { tenantId: step.tenant?.id, scopes } } : {}
    const seen = { ...journey, luggage: { ...journey.luggage, viewer, ...asked } }
    const props = {
      action: withJourney(ctx, PATHS[step.kind], seen),
      csrf: csrfToken(ctx, request, reply),
      application: client.applicationName,
      session: step.session,
    }
    const page = () => {
      if (step.kind === 'account') return <AccountPage {...props} />
      if (step.kind === 'tenant') return <TenantPage {...props} memberships={step.memberships} />
      return (
        <ConsentPage
          {...props}
          scopes={scopes}
          tenant={step.tenant?.name}
          target={journey.formTargets.join()}
        />
      )
    }
    return { html: render(page(), await brandOf(ctx, journey, viewer)), formTargets: journey.formTargets }
  }
