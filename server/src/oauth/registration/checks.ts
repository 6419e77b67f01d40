import { completeSettings } from '../../applications/clients/registration.ts'
import type { Ctx } from '../../context.ts'
import { AppError, type FieldProblem, OAuthError } from '../../errors.ts'
import { toPrintable } from '../../http/errors/errors.ts'
import type { RegisteredSettings } from './metadata.ts'

const WEB_PROTOCOLS = ['https:', 'http:']

/** Applies the rules for every client, and the hosts that the registration token allows. */
export function checkSettings(ctx: Ctx, settings: RegisteredSettings, redirectHosts: string[] | null): void {
  asMetadataErrors(() => completeSettings(ctx, settings, 'REGISTRATION'))
  if (redirectHosts === null) return
  const { backchannelLogoutUri: logoutUri } = settings
  if (logoutUri !== null && !redirectHosts.includes(new URL(logoutUri).hostname)) {
    const problem = 'The member backchannel_logout_uri has a host that the registration token excludes.'
    throw new OAuthError('invalid_client_metadata', problem)
  }
  for (const uri of [...settings.redirectUris, ...settings.postLogoutRedirectUris]) {
    const { protocol, hostname } = new URL(uri)
    // A private-use scheme may be followed by any host, but leads to an app.
    if (!WEB_PROTOCOLS.includes(protocol) || !redirectHosts.includes(hostname)) {
      throw new OAuthError('invalid_redirect_uri', 'A redirect URI has a host that the registration token excludes.')
    }
  }
}

/** The member of RFC 7591 that each setting comes from. */
const MEMBERS: Record<keyof RegisteredSettings, string> = {
  kind: 'token_endpoint_auth_method',
  name: 'client_name',
  redirectUris: 'redirect_uris',
  allowedOrigins: 'redirect_uris',
  postLogoutRedirectUris: 'post_logout_redirect_uris',
  scopes: 'scope',
  requirePushedRequests: 'require_pushed_authorization_requests',
  requireSignedRequests: 'require_signed_request_object',
  requireDpop: 'dpop_bound_access_tokens',
  tokenEndpointAuthMethod: 'token_endpoint_auth_method',
  jwks: 'jwks',
  jwksUri: 'jwks_uri',
  backchannelLogoutUri: 'backchannel_logout_uri',
}

const isSetting = (field: string): field is keyof RegisteredSettings => field in MEMBERS

/** Runs a check of a client, and throws what it finds as errors of RFC 7591 §3.2.2. */
function asMetadataErrors(check: () => unknown): void {
  try {
    check()
  } catch (error) {
    const details = error instanceof AppError && Array.isArray(error.details) ? error.details : []
    const [first] = details as FieldProblem[]
    if (!first) throw error
    const [field = '', ...path] = first.field.split('.')
    const member = isSetting(field) ? MEMBERS[field] : field
    const code = member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new OAuthError(code, toPrintable(`The member ${[member, ...path].join('.')} ${first.message}.`))
  }
}
