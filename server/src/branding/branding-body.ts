import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'
import { MAX_LOGO_BYTES, MAX_LOGO_SIDE_PX, MAX_NAME_LENGTH } from './rules.ts'

/** The branding schemas that the routes of applications and of tenants share. */

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const color = Type.String({ maxLength: 7, pattern: '^#[0-9A-Fa-f]{6}$' })

export const Theme = Type.Enum(['classic', 'soft', 'crisp'])

export const BrandingBody = Type.Object(
  {
    displayName: nullable(
      Type.String(),
      'The name that the hosted pages show; null: the name of the application or tenant',
    ),
    color: nullable(
      Type.String(),
      'As #rrggbb; pages show a lighter version in dark mode where text would be hard to read',
    ),
    theme: nullable(Theme, 'A ready look of the pages; null: classic'),
    logoUrl: nullable(Type.String(), 'The path of the logo; changes with the logo'),
    updatedAt: nullable(Timestamp, 'null: there is no branding'),
  },
  { title: 'Branding' },
)
export type BrandingBody = Static<typeof BrandingBody>

export const UpdateBrandingRequest = Type.Object(
  {
    displayName: Type.Optional(
      nullable(Type.String({ maxLength: 1_000 }), `1 to ${MAX_NAME_LENGTH} characters; left out or null: none`),
    ),
    color: Type.Optional(
      nullable(color, 'As #rrggbb, with a contrast of at least 4.5 : 1 with white; left out or null: none'),
    ),
    theme: Type.Optional(nullable(Theme, 'A ready look of the pages; left out or null: classic')),
    logo: Type.Optional(
      nullable(
        Type.String({ maxLength: 2 * MAX_LOGO_BYTES }),
        'A PNG, JPEG or WebP image as a data: URL in base64, ' +
          `of at most ${MAX_LOGO_BYTES / 1024} KiB and ${MAX_LOGO_SIDE_PX} × ${MAX_LOGO_SIDE_PX} pixels; ` +
          'left out: the logo is kept; null: it is removed',
      ),
    ),
  },
  { title: 'UpdateBrandingRequest' },
)
export type UpdateBrandingRequest = Static<typeof UpdateBrandingRequest>
