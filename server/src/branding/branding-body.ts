import { type Static, Type } from 'typebox'
import { LONGEST_NAME, MOST_LOGO_BYTES, MOST_LOGO_SIDE } from './rules.ts'

/** What is said of branding, at whichever door. */

const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description })

const color = Type.String({ maxLength: 7, pattern: '^#[0-9A-Fa-f]{6}$' })

export const BrandingBody = Type.Object(
  {
    displayName: nullable(Type.String(), 'What the hosted pages are called; null: by the name it has here'),
    color: nullable(Type.String(), 'As #rrggbb; pages show it as light or dark as can be read'),
    logoUrl: nullable(Type.String(), 'Where the logo is; changes with the logo'),
    updatedAt: nullable(Type.String({ format: 'date-time' }), 'null: there is no branding'),
  },
  { title: 'Branding' },
)
export type BrandingBody = Static<typeof BrandingBody>

export const BrandingRequest = Type.Object(
  {
    displayName: Type.Optional(
      nullable(Type.String({ maxLength: 1_000 }), `1 to ${LONGEST_NAME} characters; left out or null: none`),
    ),
    color: Type.Optional(nullable(color, 'As #rrggbb; left out or null: none')),
    logo: Type.Optional(
      nullable(
        Type.String({ maxLength: 2 * MOST_LOGO_BYTES }),
        'A PNG, JPEG or WebP picture as a data: address in base64, ' +
          `of at most ${MOST_LOGO_BYTES / 1024} KiB and ${MOST_LOGO_SIDE} × ${MOST_LOGO_SIDE} pixels; ` +
          'left out: the logo stays; null: it goes',
      ),
    ),
  },
  { title: 'BrandingRequest' },
)
export type BrandingRequest = Static<typeof BrandingRequest>
