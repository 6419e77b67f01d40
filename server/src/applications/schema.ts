import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../http/pagination.ts'

const MOST_ENTRIES = 50
const Timestamp = Type.String({ format: 'date-time' })
const Id = Type.String({ description: 'A UUID' })

/** The space around a name does not count, so the schema leaves room for some. */
const Name = Type.String({ minLength: 1, maxLength: 1_000, description: '1 to 120 characters' })
const Slug = Type.String({ minLength: 1, maxLength: 63, description: 'Small letters, digits and hyphens' })
const LicensingMode = Type.Enum(['PER_SEAT', 'TENANT_WIDE', 'FREE'])
export const ClientKind = Type.Enum(['SPA', 'WEB', 'MACHINE'], {
  description: 'SPA: public, with PKCE. WEB: with a secret. MACHINE: for itself, with client credentials',
})

const lifetime = (maximum: number) =>
  Type.Union([Type.Integer({ minimum: 60, maximum }), Type.Null()], {
    description: 'In seconds; null: as the instance has it',
  })
const DAY = 86_400

/** What may be decided about an application. */
export const applicationFields = {
  trusted: Type.Boolean({ description: 'Ours: nobody is asked for consent' }),
  licensingMode: LicensingMode,
  accessTokenTtl: lifetime(DAY),
  idTokenTtl: lifetime(DAY),
  refreshTokenIdleTtl: lifetime(365 * DAY),
  refreshTokenTtl: lifetime(365 * DAY),
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

const texts = (maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: MOST_ENTRIES, description })

/** What may be decided about a client again and again, beside its name. */
export const clientFields = {
  redirectUris: texts(2_000, 'Where people may be sent with a code; compared as exact text'),
  postLogoutRedirectUris: texts(2_000, 'Where people may be sent after a logout'),
  allowedOrigins: texts(2_000, 'Origins whose pages may call the token endpoint'),
  scopes: texts(100, 'What its tokens may say at most'),
  requireNonce: Type.Boolean({ description: 'Requests for an ID token must carry a nonce' }),
  pkceMethods: Type.Array(Type.Enum(['S256', 'plain']), { minItems: 1, maxItems: 2 }),
  disabled: Type.Boolean({ description: 'Nothing of it works until it is enabled again' }),
}

export const ClientBody = Type.Object(
  {
    id: Id,
    clientId: Type.String(),
    applicationId: Id,
    kind: ClientKind,
    name: Type.String(),
    ...clientFields,
    tenantId: Type.Union([Id, Type.Null()], {
      description: 'The tenant a machine acts for; null: the instance',
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
      description: 'Shown this once. null: a client of this kind has none',
    }),
  },
  { title: 'CreatedClient' },
)

export const NewClient = Type.Object({
  applicationId: Type.String({ minLength: 1, maxLength: 100 }),
  kind: ClientKind,
  name: Name,
  clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Made up unless given' })),
  tenantId: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()])),
  ...Type.Partial(Type.Object(clientFields)).properties,
})

export const ClientChange = Type.Partial(Type.Object({ name: Name, ...clientFields }))

export const ClientPage = Type.Object({ clients: Type.Array(ClientBody), pagination: Pagination })

export const CreatedSecret = Type.Object({
  id: Id,
  clientSecret: Type.String({ description: 'Shown this once' }),
  createdAt: Timestamp,
})

/** The fields of a query that chooses and sorts. A minus sorts downwards. */
const search = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }))
const sort = <const F extends string>(fields: readonly F[]) =>
  Type.Enum(
    fields.flatMap((field) => [field, `-${field}`] as const),
    { description: 'With a minus: the last first' },
  )

export const ApplicationQuery = Type.Object({
  ...pageQuery,
  search: search('Only those with this in their name or slug'),
  sort: Type.Optional(sort(['name', 'slug', 'createdAt'])),
})

export const ClientQuery = Type.Object({
  ...pageQuery,
  search: search('Only those with this in their name or client id'),
  applicationId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only clients of this application' }),
  ),
  kind: Type.Optional(ClientKind),
  tenantId: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only machines that act for this tenant' }),
  ),
  disabled: Type.Optional(Type.Boolean()),
  sort: Type.Optional(sort(['name', 'clientId', 'createdAt'])),
})
export const ById = Type.Object({ id: Id })
export const BySecretId = Type.Object({ id: Id, secretId: Id })
