import type { JSX } from 'preact'
import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import type { OAuthError } from '../errors.ts'
import type { PageResult } from '../http/routing/define-route.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { t } from '../languages/translate.ts'
import { type BrowserSession, findActingSession } from '../sessions/browser-session.ts'
import { type LoginTransaction, signInUrl } from '../sessions/login-transaction.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { rich } from '../ui/rich-text.ts'
import type { RedirectTarget } from './authorize-request.ts'
import { describeTarget, ResponseLink, toFormTarget } from './authorize-response.tsx'
import { NOT_A_MEMBER } from './next-step.ts'
import { logRefusal } from './refusals.ts'
import { OtherAccount } from './step-pages.tsx'
import { hasConsentIn } from './store.ts'

interface Refused {
  target: RedirectTarget
  /** Undefined if the request itself is not valid. */
  login: LoginTransaction | undefined
  tenantSlug: string | undefined
  error: OAuthError
}

/**
 * The page that shows an error, if the client must not get it at once. The client gets it when the user goes back.
 *
 * - Nobody has checked where a client leads that no administrator registered. So the user must have allowed it before
 *   (RFC 9700 §4.11.2).
 * - Whether the user is a member of a tenant concerns a third-party application only if the user has allowed it there.
 */
export async function findRefusedPage(ctx: Ctx, exchange: Exchange, refused: Refused): Promise<PageResult | undefined> {
  const { target, login, error } = refused
  const { client, redirectUri } = target
  if (client.trusted || (client.origin === 'ADMIN' && !isAboutTenant(error))) return undefined
  const session = await findActingSession(ctx, exchange)
  // The page is for the user. An operator who acts as them has nothing to decide.
  if (session?.support && client.origin === 'ADMIN') return undefined
  if (session && (await hasAllowed(ctx, refused, session.userId))) return undefined
  logRefusal(exchange.request, client.clientId, error)
  const response = toResponse(error)
  const back = <ResponseLink {...{ ctx, target, response }} />
  const page =
    isAboutTenant(error) && session && !session.support && login ? (
      <NoTenantPage {...{ client, session, back }} otherAccount={signInUrl(ctx, login, { mustReauthenticate: true })} />
    ) : (
      <RefusedPage {...{ client, redirectUri, error, back }} />
    )
  return { status: isAboutTenant(error) ? 403 : 400, html: render(page), formTargets: [toFormTarget(redirectUri)] }
}

/** Until the consent page, which sends its error to the client itself, only the requested tenant is denied. */
const isAboutTenant = ({ code }: OAuthError): boolean => code === 'access_denied'

/** The client is not told whether the tenant is suspended, unknown or one of others. */
const toResponse = (error: OAuthError) => ({
  error: error.code,
  error_description: isAboutTenant(error) ? NOT_A_MEMBER : error.message,
})

const hasAllowed = ({ db }: Ctx, { target, tenantSlug, error }: Refused, userId: string): Promise<boolean> =>
  hasConsentIn(db, {
    userId,
    applicationId: target.client.applicationId,
    tenantSlug: isAboutTenant(error) ? tenantSlug : undefined,
    // An update of the client with another redirect URI takes the scopes away.
    toSomeScope: true,
  })

interface PageProps {
  client: Pick<Client, 'applicationName'>
  back: JSX.Element
}

const RefusedPage = ({ client, redirectUri, error, back }: PageProps & { redirectUri: string; error: OAuthError }) => (
  <Layout title={t('This sign-in cannot continue')}>
    <h1>{t('This sign-in cannot continue')}</h1>
    <p role="alert">
      {rich('<b>{application}</b> sent a request that was refused: {problem}', {
        application: client.applicationName,
        problem: t(error.message),
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    <p class="caution">
      {rich('Nobody has checked this application here. Go back only if you trust <b>{target}</b>.', {
        target: describeTarget(redirectUri),
        b: (text) => <strong>{text}</strong>,
      })}
    </p>
    {back}
  </Layout>
)

const NoTenantPage = ({
  client,
  session,
  back,
  otherAccount,
}: PageProps & { session: BrowserSession; otherAccount: string }) => (
  <Layout title={t('You cannot use this organization')}>
    <h1>{t('You cannot use this organization')}</h1>
    <p role="alert">
      {rich(
        '<b>{application}</b> asked for an organization that {email} cannot use. You are not an active member of it, or it is suspended.',
        { application: client.applicationName, email: session.email, b: (text) => <strong>{text}</strong> },
      )}
    </p>
    <p>{t('The application has not learned of this. If you go back, it does.')}</p>
    {back}
    <OtherAccount path={otherAccount} />
  </Layout>
)
