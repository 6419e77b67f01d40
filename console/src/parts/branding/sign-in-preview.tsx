import { SimpleGrid, Stack, Text } from '@mantine/core'
import { branding } from '../../text/branding.ts'
import { isColor, readableOn } from './readable.ts'

const text = branding.preview

/** The colors of the hosted pages, in light and in dark. */
const GROUNDS = {
  light: {
    paper: '#f4f6fa',
    card: '#ffffff',
    ink: '#1b1f27',
    quiet: '#5b6372',
    line: '#868ea0',
    own: '#3b5bdb',
  },
  dark: {
    paper: '#14161b',
    card: '#1d2027',
    ink: '#e8eaf0',
    quiet: '#a2a9b8',
    line: '#727b90',
    own: '#91a7ff',
  },
}

interface Look {
  name: string
  color: string
  logo: string | null
}

/** A sign-in page as people would see it, in light and in dark. It is a picture: nothing of it can be used. */
export const SignInPreview = (look: Look) => (
  <Stack gap="xs">
    <Text size="sm" fw={500}>
      {text.title}
    </Text>
    <SimpleGrid cols={2} spacing="sm" role="img" aria-label={`${text.title}: ${look.name}`}>
      <Sheet {...look} scheme="light" />
      <Sheet {...look} scheme="dark" />
    </SimpleGrid>
  </Stack>
)

function Sheet({ name, color, logo, scheme }: Look & { scheme: keyof typeof GROUNDS }) {
  const ground = GROUNDS[scheme]
  const accent = readableOn(ground.card, isColor(color) ? color.toLowerCase() : ground.own)
  const field = { border: `1px solid ${ground.line}`, borderRadius: 6, height: 24 }
  return (
    <div
      aria-hidden="true"
      style={{ background: ground.paper, borderRadius: 10, padding: '16px 12px', minHeight: 300 }}
    >
      <Stack gap={10} align="stretch">
        <div style={{ textAlign: 'center', color: ground.ink, fontWeight: 700, fontSize: 13 }}>
          {logo !== null && (
            <img
              src={logo}
              alt=""
              style={{ display: 'block', maxHeight: 32, maxWidth: '80%', margin: '0 auto 6px' }}
            />
          )}
          {name}
        </div>
        <div
          style={{ background: ground.card, color: ground.ink, borderRadius: 8, padding: 12, fontSize: 11 }}
        >
          <Stack gap={8}>
            <div style={{ fontWeight: 700, fontSize: 14 }}>{text.heading}</div>
            <div style={{ color: ground.quiet }}>{text.email}</div>
            <div style={field} />
            <div style={{ color: ground.quiet }}>{text.password}</div>
            <div style={field} />
            <div
              style={{
                background: accent.color,
                color: accent.ink,
                borderRadius: 6,
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
