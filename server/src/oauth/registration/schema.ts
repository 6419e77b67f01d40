import { type Static, Type } from 'typebox'
import { checkedByHandler } from '../../http/routing/schema.ts'

const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })
const text = (description: string) => ({ type: 'string', description })
const flag = (description: string) => ({ type: 'boolean', description })
const keySet = {
  type: 'object',
  properties: { keys: { type: 'array', items: { type: 'object' } } },
  required: ['keys'],
  description: 'Its public keys, for private_key_jwt',
}

/** The members by which a client describes itself (RFC 7591 §2), with our rules. */
const FIELDS = {
  redirect_uris: texts('Where users may be redirected with a code'),
  token_endpoint_auth_method: text(
    'none, client_secret_basic, client_secret_post or private_key_jwt; client_secret_basic when left out',
  ),
  grant_types: texts('authorization_code, and refresh_token for a client with offline_access'),
  response_types: texts('code'),
  client_name: text('The name that users see; the host of the first redirect URI when left out'),
  scope: text('Space-separated scopes'),
  post_logout_redirect_uris: texts('Where users may be redirected after a logout'),
  jwks: keySet,
  jwks_uri: text('Where its public keys are fetched, instead of jwks'),
  dpop_bound_access_tokens: flag('Its token requests must have a DPoP proof (RFC 9449 §5.2)'),
  require_pushed_authorization_requests: flag('Its authorization requests must be pushed (RFC 9126 §6)'),
  backchannel_logout_uri: text('Where it is told that sessions ended (OpenID Connect Back-Channel Logout §2.2)'),
  backchannel_logout_session_required: flag('Ignored: every logout token has a sid'),
  require_signed_request_object: flag('Its authorization requests must be signed with its keys (RFC 9101 §10.5)'),
}

/** The handler checks the members, because the errors of RFC 7591 depend on which one is wrong. */
const checked = {
  ...Object.fromEntries(
    Object.entries(FIELDS).map(([name, schema]) => [name, Type.Optional(checkedByHandler(schema))]),
  ),
  redirect_uris: checkedByHandler(FIELDS.redirect_uris),
  software_statement: Type.Optional(checkedByHandler(text('Not supported: refused'))),
}

export const ClientMetadata = Type.Object(checked, {
  title: 'ClientMetadata',
  description: 'Other members are ignored',
})

/** The same with the id of the client (RFC 7592 §2.2). */
export const ClientMetadataUpdate = Type.Object(
  {
    client_id: checkedByHandler(text('The client that is updated')),
    client_secret: Type.Optional(checkedByHandler(text('If it is sent, it must be the one of the client'))),
    ...checked,
  },
  { title: 'ClientMetadataUpdate', description: 'Replaces all metadata. Other members are ignored' },
)

const Texts = (description?: string) => Type.Array(Type.String(), description === undefined ? {} : { description })

export const ClientInformation = Type.Object(
  {
    client_id: Type.String(),
    client_id_issued_at: Type.Integer({ description: 'Seconds since 1970' }),
    client_secret: Type.Optional(Type.String({ description: 'Shown only once, to a client that registers' })),
    client_secret_expires_at: Type.Optional(Type.Integer({ description: 'With client_secret: 0, it does not expire' })),
    registration_access_token: Type.String({ description: 'Manages this registration' }),
    registration_client_uri: Type.String({ description: 'Where the registration is read, updated and deleted' }),
    redirect_uris: Texts(),
    token_endpoint_auth_method: Type.String(),
    grant_types: Texts(),
    response_types: Texts(),
    client_name: Type.String(),
    scope: Type.String({ description: 'Without the scopes of resources, which need no registration' }),
    post_logout_redirect_uris: Type.Optional(Texts()),
    jwks: Type.Optional(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
    jwks_uri: Type.Optional(Type.String()),
    backchannel_logout_uri: Type.Optional(Type.String()),
    backchannel_logout_session_required: Type.Optional(
      Type.Boolean({ description: 'With backchannel_logout_uri: true, every logout token has a sid' }),
    ),
    dpop_bound_access_tokens: Type.Boolean(),
    require_pushed_authorization_requests: Type.Boolean(),
    require_signed_request_object: Type.Boolean(),
  },
  { title: 'ClientInformation' },
)
export type ClientInformation = Static<typeof ClientInformation>

export const ByClientId = Type.Object({ clientId: Type.String({ description: 'The client_id' }) })
