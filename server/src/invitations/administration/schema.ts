import { type Static, Type } from 'typebox'
import { AdministeredTenant } from '../../tenants/administration/tenant-body.ts'
import { CreatedInvitation } from '../schema.ts'

export const NewAdministeredTenant = Type.Object(
  {
    name: Type.String({
      maxLength: 1_000,
      description: '1 to 120 characters, without the space around them; no web address',
    }),
    slug: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Small letters, digits and hyphens; made from the name when it is left out',
      }),
    ),
    mfaPolicy: Type.Optional(Type.Enum(['OPTIONAL', 'REQUIRED'])),
    // Without properties, so that the validator takes none away.
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'At most 16 KiB as JSON' }),
    ),
    ownerId: Type.Optional(
      Type.String({ maxLength: 200, description: 'Who becomes the owner; instead of ownerEmail' }),
    ),
    ownerEmail: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Who has an account with this address becomes the owner; anybody else is invited as one',
      }),
    ),
  },
  { title: 'NewAdministeredTenant' },
)
export type NewAdministeredTenant = Static<typeof NewAdministeredTenant>

export const CreatedAdministeredTenant = Type.Object(
  {
    ...AdministeredTenant.properties,
    invitation: Type.Union([CreatedInvitation, Type.Null()], {
      description: 'That of the owner to be; null: nobody had to be invited',
    }),
  },
  { title: 'CreatedAdministeredTenant' },
)
export type CreatedAdministeredTenant = Static<typeof CreatedAdministeredTenant>
