import type { Ctx } from '../context.ts'
import type { ResponseMode } from '../db/tables.ts'
import type { PageResult } from '../http/routing/define-route.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { submitScript } from '../ui/scripts.ts'

interface ResponseTarget {
  redirectUri: string
  responseMode: ResponseMode
  state: string | undefined
}

/** Sends a code or an error to the client. RFC 9207: every response carries iss. */
export function respondToClient(
  { config }: Ctx,
  { redirectUri, responseMode, state }: ResponseTarget,
  response: Record<string, string>,
): PageResult {
  const parameters = { ...response, ...(state !== undefined && { state }), iss: config.baseUrl }
  if (responseMode === 'form_post') {
    const html = render(<FormPostPage action={redirectUri} parameters={parameters} />)
    return { html, formTargets: [toFormTarget(redirectUri)] }
  }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return { redirect: `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.join('&')}` }
}

/** The form-action source for a redirect URI: an origin, or the scheme of a native app. */
export function toFormTarget(uri: string): string {
  const { origin, protocol } = new URL(uri)
  // A policy cannot name an IPv6 address.
  return origin === 'null' || origin.includes('[') ? protocol : origin
}

/** OAuth 2.0 Form Post Response Mode: the browser posts the response. Without a script the user presses the button. */
const FormPostPage = ({ action, parameters }: { action: string; parameters: Record<string, string> }) => (
  <Layout title="Back to the application">
    <h1>Back to the application</h1>
    <form method="post" action={action}>
      {Object.entries(parameters).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit">Continue</button>
    </form>
    <script type="module" src={submitScript.path} />
  </Layout>
)
