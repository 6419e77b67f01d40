import { SimpleGrid, Stack, Text } from '@mantine/core'
import { branding } from '../../text/branding.ts'
import { isColor, readableOn } from './contrast.ts'
import type { Theme } from './theme-field.tsx'

const text = branding.preview

/** The colors of the hosted pages in both color schemes. */
const SCHEMES = {
  light: {
    background: '#f4f6fa',
    card: '#ffffff',
    ink: '#1b1f27',
    muted: '#5b6372',
    border: '#868ea0',
    accent: '#3b5bdb',
  },
  dark: {
    background: '#14161b',
    card: '#1d2027',
    ink: '#e8eaf0',
    muted: '#a2a9b8',
    border: '#727b90',
    accent: '#91a7ff',
  },
}

/** The background behind text of the brand color. */
export const CARD_COLORS = { light: SCHEMES.light.card, dark: SCHEMES.dark.card }

/** The corners of the themes in the size of the preview. */
const CORNERS = {
  classic: { card: 8, field: 6, button: 6 },
  soft: { card: 14, field: 8, button: 999 },
  crisp: { card: 0, field: 1, button: 1 },
}

/** The color behind the card. */
function toBackground(theme: Theme, palette: (typeof SCHEMES)['light'], accent: string): string {
  if (theme === 'crisp') return palette.card
  return theme === 'soft' ? `color-mix(in srgb, ${accent} 9%, ${palette.background})` : palette.background
}

interface PreviewProps {
  name: string
  color: string
  theme: Theme
  logo: string | null
}

/** A static preview of the sign-in page in both color schemes. */
export const SignInPreview = (props: PreviewProps) => (
  <Stack gap="xs">
    <Text size="sm" fw={500}>
      {text.title}
    </Text>
    <SimpleGrid cols={2} spacing="sm" role="img" aria-label={`${text.title}: ${props.name}`}>
      <PagePreview {...props} scheme="light" />
      <PagePreview {...props} scheme="dark" />
    </SimpleGrid>
  </Stack>
)

function PagePreview({ name, color, theme, logo, scheme }: PreviewProps & { scheme: keyof typeof SCHEMES }) {
  const palette = SCHEMES[scheme]
  const accent = readableOn(palette.card, isColor(color) ? color.toLowerCase() : palette.accent)
  const corners = CORNERS[theme]
  const field = { border: `1px solid ${palette.border}`, borderRadius: corners.field, height: 24 }
  return (
    <div
      aria-hidden="true"
      style={{
        background: toBackground(theme, palette, accent.color),
        borderRadius: 10,
        padding: '16px 12px',
        minHeight: 300,
      }}
    >
      <Stack gap={10} align="stretch">
        <div style={{ textAlign: 'center', color: palette.ink, fontWeight: 700, fontSize: 13 }}>
          {logo !== null && (
            <img src={logo} alt="" style={{ display: 'block', maxHeight: 32, maxWidth: '80%', margin: '0 auto 6px' }} />
          )}
          {name}
        </div>
        <div
          style={{
            background: palette.card,
            color: palette.ink,
            borderRadius: corners.card,
            ...(theme === 'crisp' && { border: `1px solid ${palette.border}` }),
            padding: 12,
            fontSize: 11,
          }}
        >
          <Stack gap={8}>
            <div style={{ fontWeight: 700, fontSize: 14 }}>{text.heading}</div>
            <div style={{ color: palette.muted }}>{text.email}</div>
            <div style={field} />
            <div style={{ color: palette.muted }}>{text.password}</div>
            <div style={field} />
            <div
              style={{
                background: accent.color,
                color: accent.ink,
                borderRadius: corners.button,
                padding: '6px 0',
                textAlign: 'center',
                fontWeight: 600,
              }}
            >
              {text.action}
            </div>
            <div style={{ color: accent.color, textDecoration: 'underline' }}>{text.forgot}</div>
          </Stack>
        </div>
      </Stack>
    </div>
  )
}
