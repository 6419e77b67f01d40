import type { TSchema } from 'typebox'

type Json = Record<string, unknown>

const ID = '0197a4c1-5d2e-7b3a-9c4f-2d6e8f0a1b2c'
const ISSUER = 'https://id.example.com'
const APPLICATION = 'https://app.example.com'

/** Example texts by the name of the field. Names that end in `Id` or `_id` are ids. */
const TEXTS: Record<string, string> = {
  access_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiIwMTk3In0.signature',
  action: 'member.added',
  actor: 'Olivia Owner',
  after: 'MDE5N2E0YzE',
  alg: 'RS256',
  allowedOrigins: APPLICATION,
  application: 'Demo App',
  applicationName: 'Demo App',
  attestation: 'none',
  attestationObject: 'o2NmbXRkbm9uZQ',
  aud: ID,
  authenticatorData: 'SZYN5YgOjGh0NBcP',
  authorization_endpoint: `${ISSUER}/oauth/authorize`,
  avatarUrl: `${APPLICATION}/avatar.png`,
  button: 'See the invitation',
  by: 'Olivia Owner',
  birthdate: '1990-04-12',
  challenge: 'q6E0m2nL7c5T1x8Z',
  claims_supported: 'sub',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  clientId: 'demo-web',
  clientSecret: 'lks_N3xT…',
  client_id: 'demo-web',
  client_secret: 'lks_N3xT…',
  code: '492817',
  code_challenge_methods_supported: 'S256',
  code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  color: '#1f6feb',
  confirmation: 'acme',
  currentPassword: 'correct horse battery staple',
  description: 'Events for the data warehouse',
  detail: 'The user has a seat.',
  displayName: 'Mia Member',
  e: 'AQAB',
  email: 'mia@acme.test',
  end_session_endpoint: `${ISSUER}/api/oauth/logout`,
  error: 'VALIDATION_FAILED',
  error_description: 'The code is expired.',
  events: 'license.granted',
  familyName: 'Member',
  family_name: 'Member',
  featureKey: 'export',
  features: 'export',
  gender: 'female',
  givenName: 'Mia',
  given_name: 'Mia',
  grant_type: 'authorization_code',
  grant_types_supported: 'authorization_code',
  heading: 'Join {{tenant}}',
  html: '<p>Confirm your address</p>',
  id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIwMTk3In0.signature',
  id_token_signing_alg_values_supported: 'RS256',
  introspection_endpoint: `${ISSUER}/api/oauth/introspect`,
  introspection_endpoint_auth_methods_supported: 'client_secret_basic',
  ipAddress: '203.0.113.7',
  iss: ISSUER,
  issuer: ISSUER,
  jti: ID,
  jwks_uri: `${ISSUER}/api/oauth/jwks`,
  kid: 'k7Qm2xVb',
  kind: 'invitation',
  kty: 'RSA',
  label: 'Example provider',
  lastError: 'The receiver answered 500.',
  licenseType: 'pro',
  licenseTypeName: 'Pro',
  licenseTypeSlug: 'pro',
  locale: 'en-US',
  location: 'Berlin, Germany',
  logo: 'data:image/png;base64,iVBORw0KGgo=',
  logoUrl: `${ISSUER}/branding/4f2a…`,
  message: 'Saved',
  method: 'pwd',
  methods: 'totp',
  middleName: 'A.',
  middle_name: 'A.',
  minRevision: '42',
  n: 'u1SU1LfVLPHCozMxH2Mo',
  name: 'Acme',
  newEmail: 'mia.member@acme.test',
  newPassword: 'correct horse battery staple 2',
  next: 'MDE5N2E0YzI',
  nickname: 'mia',
  note: 'If you do not know who that is, there is nothing you need to do.',
  otpauthUrl: 'otpauth://totp/Latchkey:mia%40acme.test?secret=JBSWY3DPEHPK3PXP',
  ownerEmail: 'olivia@acme.test',
  password: 'correct horse battery staple',
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$…',
  path: '/api/tenants',
  phone: '+49 30 123456',
  picture: `${APPLICATION}/avatar.png`,
  pictureUrl: `${APPLICATION}/avatar.png`,
  postLogoutRedirectUris: `${APPLICATION}/signed-out`,
  provider: 'example',
  qrCode: 'data:image/svg+xml;base64,PHN2Zy8+',
  rawId: 'AbCdEf012345',
  recoveryCodes: 'k3fp-9x2m-7qwd-hb4t',
  redirectUri: `${APPLICATION}/callback`,
  redirectUris: `${APPLICATION}/callback`,
  redirect_uri: `${APPLICATION}/callback`,
  refresh_token: '8Jx2vQ…',
  residentKey: 'required',
  response_modes_supported: 'query',
  response_types_supported: 'code',
  revocation_endpoint: `${ISSUER}/api/oauth/revoke`,
  revocation_endpoint_auth_methods_supported: 'client_secret_basic',
  role: 'member',
  rpId: 'id.example.com',
  scope: 'openid profile email',
  scopes: 'licenses:read',
  scopes_supported: 'openid',
  search: 'mia',
  secret: 'whsec_Zt7c…',
  signature: 'MEUCIQDv3n',
  slug: 'acme',
  status: 'ok',
  sub: ID,
  subject: 'Confirm your address',
  subject_types_supported: 'public',
  tenant: 'acme',
  tenantName: 'Acme',
  tenantSlug: 'acme',
  tenant_roles: 'member',
  text: 'Confirm your address: …',
  to: 'mia@acme.test',
  token: '5Rm8pX…',
  token_endpoint: `${ISSUER}/api/oauth/token`,
  token_endpoint_auth_methods_supported: 'client_secret_basic',
  token_type: 'Bearer',
  token_type_hint: 'refresh_token',
  transports: 'internal',
  type: 'license.granted',
  types: 'license.granted',
  ui_locales_supported: 'en',
  url: `${APPLICATION}/webhooks`,
  use: 'sig',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
  userHandle: 'MDE5N2E0YzE',
  userVerification: 'required',
  userinfo_endpoint: `${ISSUER}/api/oauth/userinfo`,
  username: 'mia@acme.test',
  version: '0.1.0',
  website: 'https://people.example.com/mia',
  zoneinfo: 'Europe/Berlin',
}

const FORMATS: Record<string, string> = {
  uuid: ID,
  'date-time': '2026-01-15T09:30:00.000Z',
  date: '2026-01-15',
  email: 'mia@acme.test',
  uri: APPLICATION,
}

/** A value that is valid for the schema, for the API reference. `name` is the name of the field. */
export function createExample(schema: TSchema, name = ''): unknown {
  const { anyOf, items, type, ...rest } = schema as Json & { anyOf?: TSchema[]; items?: TSchema }
  for (const key of ['default', 'const'] as const) if (key in rest) return rest[key]
  if (Array.isArray(rest.examples)) return rest.examples[0]
  if (Array.isArray(rest.enum)) return rest.enum[0]
  if (anyOf) return createExample(anyOf.find((member) => (member as Json).type !== 'null') as TSchema, name)
  if (type === 'array') return items ? [createExample(items, name)] : []
  if (type === 'object') return createObject(rest.properties as Record<string, TSchema> | undefined)
  if (type === 'integer' || type === 'number') return (rest.minimum as number | undefined) ?? 1
  if (type === 'boolean') return true
  if (type === undefined && TEXTS[name] === undefined) return {}
  return createText(name, rest.format as string | undefined)
}

const createObject = (properties: Record<string, TSchema> = {}): Json =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, createExample(schema, name)]))

function createText(name: string, format: string | undefined): string {
  if (format && FORMATS[format]) return FORMATS[format]
  return TEXTS[name] ?? (/(?:^id|Id|_id)$/.test(name) ? ID : name)
}
