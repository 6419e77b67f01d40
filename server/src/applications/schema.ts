import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../http/routing/pagination.ts'
import { Timestamp } from '../http/routing/schema.ts'
import { SIGNING_ALGORITHMS } from '../lib/signer.ts'

const MAX_LIST_ENTRIES = 50
export const Id = Type.String({ description: 'A UUID' })

/** Names are trimmed before the limit of 120 is checked, so the schema allows more. */
export const Name = Type.String({ minLength: 1, maxLength: 1_000, description: '1 to 120 characters' })
const Slug = Type.String({
  minLength: 1,
  maxLength: 63,
  description: 'Lowercase letters, digits and hyphens',
})
const LicensingMode = Type.Enum(['PER_SEAT', 'TENANT_WIDE', 'FREE'])
export const ClientKind = Type.Enum(['SPA', 'WEB', 'MACHINE'], {
  description: 'SPA: public, with PKCE. WEB: with a secret. MACHINE: acts for itself, with client credentials',
})

const lifetime = (maximum: number) =>
  Type.Union([Type.Integer({ minimum: 60, maximum }), Type.Null()], {
    description: 'In seconds; null: the default of the instance',
  })
const DAY_SECONDS = 86_400

/** The settings of an application besides its name and slug. */
export const applicationFields = {
  trusted: Type.Boolean({ description: 'First-party: no consent is requested' }),
  emailCodes: Type.Boolean({ description: 'People may sign in to it with a code that is mailed to them' }),
  signingAlgorithm: Type.Enum(SIGNING_ALGORITHMS, {
    description:
      'How its tokens are signed. With an algorithm that no application used before, they are signed as before for the 15 minutes in which the new key is published',
  }),
  licensingMode: LicensingMode,
  accessTokenTtl: lifetime(DAY_SECONDS),
  idTokenTtl: lifetime(DAY_SECONDS),
  refreshTokenIdleTtl: lifetime(365 * DAY_SECONDS),
  refreshTokenTtl: lifetime(365 * DAY_SECONDS),
}

export const ApplicationBody = Type.Object(
  {
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    ...applicationFields,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Application' },
)
export type ApplicationBody = Static<typeof ApplicationBody>

export const NewApplication = Type.Object({
  name: Name,
  slug: Type.Optional(Slug),
  ...Type.Partial(Type.Object(applicationFields)).properties,
})

export const ApplicationChange = Type.Partial(Type.Object({ name: Name, slug: Slug, ...applicationFields }))

export const ApplicationPage = Type.Object({
  applications: Type.Array(ApplicationBody),
  pagination: Pagination,
})

export const texts = (maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: MAX_LIST_ENTRIES, description })

const EXAMPLE_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  kid: 'k7Qm2xVb',
}

/** Any member is let through here, so that private ones are refused and not silently dropped. */
const PublicKeys = Type.Object({
  keys: Type.Array(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'A public key as JWK: RSA, P-256 or Ed25519',
      examples: [EXAMPLE_KEY],
    }),
    { minItems: 1, maxItems: 10 },
  ),
})

/** The settings of a client that can be changed, besides its name. */
export const clientFields = {
  redirectUris: texts(2_000, 'Where users may be redirected with a code; compared as exact text'),
  postLogoutRedirectUris: texts(2_000, 'Where users may be redirected after a logout'),
  allowedOrigins: texts(2_000, 'Origins whose pages may call the token endpoint'),
  scopes: texts(100, 'The scopes that its tokens may have at most'),
  requireNonce: Type.Boolean({ description: 'Requests for an ID token must carry a nonce' }),
  userinfoInIdToken: Type.Boolean({
    description: 'ID tokens have the profile and email claims that the scopes grant; false: only userinfo has them',
  }),
  pkceMethods: Type.Array(Type.Enum(['S256', 'plain']), { minItems: 1, maxItems: 2 }),
  responseModes: Type.Array(Type.Enum(['query', 'form_post']), {
    minItems: 1,
    maxItems: 2,
    description: 'How it may receive authorization codes: in the redirect URL, or posted as a form',
  }),
  requirePushedRequests: Type.Boolean({
    description: 'Authorization requests must be pushed (RFC 9126); plain ones are refused',
  }),
  requireSignedRequests: Type.Boolean({
    description: 'Authorization requests must be signed with one of its keys (RFC 9101); others are refused',
  }),
  requireDpop: Type.Boolean({ description: 'Token requests must have a DPoP proof, which binds the tokens to a key' }),
  deviceFlow: Type.Boolean({
    description: 'Devices without a browser may ask for a sign-in on another device (RFC 8628)',
  }),
  tokenExchange: Type.Boolean({
    description: 'It may exchange the access tokens that it receives for tokens for other APIs (RFC 8693). Not for SPA',
  }),
  tokenEndpointAuthMethod: Type.Enum(['none', 'client_secret', 'private_key_jwt'], {
    description:
      'How it authenticates: with a secret (HTTP Basic or form), or with assertions signed by its key. SPA: none',
  }),
  jwks: Type.Union([PublicKeys, Type.Null()], {
    description: 'Its public keys, for private_key_jwt and signed authorization requests',
  }),
  jwksUri: Type.Union([Type.String({ minLength: 1, maxLength: 2_000 }), Type.Null()], {
    description: 'Where its public keys are fetched, instead of jwks: an https URL of a JWK Set',
  }),
  securityProfile: Type.Enum(['NONE', 'FAPI2'], {
    description:
      'FAPI2: the FAPI 2.0 Security Profile. It turns on a key for authentication, DPoP, pushed requests and PKCE with S256, and refuses everything else',
  }),
  backchannelLogoutUri: Type.Union([Type.String({ minLength: 1, maxLength: 2_000 }), Type.Null()], {
    description:
      'Where a logout token is posted when a session ends in which people signed in to the client (OpenID Connect Back-Channel Logout): an https URL',
  }),
  disabled: Type.Boolean({ description: 'A disabled client and its tokens do not work' }),
}

const ClientOrigin = Type.Enum(['ADMIN', 'DOCUMENT', 'REGISTRATION'], {
  description: 'Who registered it: an administrator, the document at its client id, or the client itself (RFC 7591)',
})

export const ClientBody = Type.Object(
  {
    id: Id,
    clientId: Type.String(),
    origin: ClientOrigin,
    applicationId: Id,
    kind: ClientKind,
    name: Type.String(),
    ...clientFields,
    tenantId: Type.Union([Id, Type.Null()], {
      description: 'The tenant that a MACHINE client acts for; null: the instance',
    }),
    secrets: Type.Array(Type.Object({ id: Id, createdAt: Timestamp })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Client' },
)
export type ClientBody = Static<typeof ClientBody>

export const CreatedClient = Type.Object(
  {
    ...ClientBody.properties,
    clientSecret: Type.Union([Type.String(), Type.Null()], {
      description: 'Shown only once. null: a client of this kind has none',
    }),
  },
  { title: 'CreatedClient' },
)

export const NewClient = Type.Object({
  applicationId: Type.String({ minLength: 1, maxLength: 100 }),
  kind: ClientKind,
  name: Name,
  clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Generated when left out' })),
  tenantId: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()])),
  ...Type.Partial(Type.Object(clientFields)).properties,
})

export const ClientChange = Type.Partial(Type.Object({ name: Name, ...clientFields }))

export const ClientPage = Type.Object({ clients: Type.Array(ClientBody), pagination: Pagination })

export const CreatedSecret = Type.Object({
  id: Id,
  clientSecret: Type.String({ description: 'Shown only once' }),
  createdAt: Timestamp,
})

/** The query fields for filtering and sorting. */
export const search = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
export const sort = <const F extends string>(fields: readonly F[]) =>
  Type.Enum(
    fields.flatMap((field) => [field, `-${field}`] as const),
    { description: 'With a minus: descending' },
  )

export const ApplicationQuery = Type.Object({
  ...pageQuery,
  search: search('Only applications whose name or slug contains this text'),
  sort: Type.Optional(sort(['name', 'slug', 'createdAt'])),
})

export const ClientQuery = Type.Object({
  ...pageQuery,
  search: search('Only clients whose name or client id contains this text'),
  applicationId: Type.Optional(Type.String({ maxLength: 100, description: 'Only clients of this application' })),
  kind: Type.Optional(ClientKind),
  tenantId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only MACHINE clients that act for this tenant' }),
  ),
  disabled: Type.Optional(Type.Boolean()),
  origin: Type.Optional(ClientOrigin),
  sort: Type.Optional(sort(['name', 'clientId', 'createdAt'])),
})
export const ById = Type.Object({ id: Id })
export const BySecretId = Type.Object({ id: Id, secretId: Id })
