import type { Ctx } from '../context.ts'
import type { ResponseMode } from '../db/tables.ts'
import type { PageResult } from '../http/routing/define-route.ts'
import { t } from '../languages/translate.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { submitScript } from '../ui/scripts.ts'

interface ResponseTarget {
  redirectUri: string
  responseMode: ResponseMode
  state: string | undefined
}

/** Sends a code or an error to the client. */
export function respondToClient(ctx: Ctx, target: ResponseTarget, response: Record<string, string>): PageResult {
  const { redirectUri, responseMode } = target
  const parameters = toParameters(ctx, target, response)
  if (responseMode === 'form_post') {
    const html = render(<FormPostPage action={redirectUri} parameters={parameters} />)
    return { html, formTargets: [toFormTarget(redirectUri)] }
  }
  return { redirect: toResponseUrl(redirectUri, parameters) }
}

/** RFC 9207: every response carries iss. */
const toParameters = ({ config }: Ctx, { state }: ResponseTarget, response: Record<string, string>) => ({
  ...response,
  ...(state !== undefined && { state }),
  iss: config.baseUrl,
})

function toResponseUrl(redirectUri: string, parameters: Record<string, string>): string {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.join('&')}`
}

/** Where the user goes on to: an origin, or the scheme of a native app. */
export function describeTarget(redirectUri: string): string {
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? protocol : origin
}

/** The form-action source for a redirect URI: an origin, or the scheme of a native app. */
export function toFormTarget(uri: string): string {
  const { origin, protocol } = new URL(uri)
  // A policy cannot name an IPv6 address.
  return origin === 'null' || origin.includes('[') ? protocol : origin
}

/** OAuth 2.0 Form Post Response Mode: the browser posts the response. Without a script the user presses the button. */
const FormPostPage = ({ action, parameters }: { action: string; parameters: Record<string, string> }) => (
  <Layout title={t('Back to the application')} hasLanguages={false}>
    <h1>{t('Back to the application')}</h1>
    <ParameterForm action={action} parameters={parameters} label={t('Continue')} />
    <script type="module" src={submitScript.path} />
  </Layout>
)

const ParameterForm = ({
  action,
  parameters,
  label,
}: {
  action: string
  parameters: Record<string, string>
  label: string
}) => (
  <form method="post" action={action}>
    {Object.entries(parameters).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <button type="submit">{label}</button>
  </form>
)

/** Sends the response to the client when the user chooses to. */
export const ResponseLink = ({
  ctx,
  target,
  response,
}: {
  ctx: Ctx
  target: ResponseTarget
  response: Record<string, string>
}) => {
  const { redirectUri, responseMode } = target
  const parameters = toParameters(ctx, target, response)
  const label = t('Back to {target}', { target: describeTarget(redirectUri) })
  return responseMode === 'form_post' ? (
    <ParameterForm action={redirectUri} parameters={parameters} label={label} />
  ) : (
    <a class="button second" href={toResponseUrl(redirectUri, parameters)}>
      {label}
    </a>
  )
}
