import { Box, Image, Input, Paper, Stack, Text } from '@mantine/core'
import { settings } from '../../../text/settings.ts'

const text = settings.branding
const OWN_COLOR = '#2f4fc4'

/** How light a colour looks, from 0 to 1 (WCAG 2). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Black or white, whichever can be read on it. */
const inkOn = (color: string): string => (luminanceOf(color) > 0.179 ? '#000000' : '#ffffff')

/** The sign-in page in small. For the eye alone: all of it stands in the fields beside it. */
export function BrandingPreview({ name, color, logo }: { name: string; color: string; logo: string | null }) {
  const shown = /^#[0-9a-f]{6}$/i.test(color) ? color : OWN_COLOR
  return (
    <Input.Wrapper label={text.preview} labelElement="div">
      <Box p="lg" mt={6} bg="var(--console-ground)" style={{ borderRadius: 12 }} aria-hidden>
        <Paper p="lg" maw={300} mx="auto">
          <Stack gap="sm">
            {logo !== null && <Image src={logo} alt="" h={40} w="auto" maw={180} fit="contain" radius={0} />}
            <Text fw={650} lineClamp={2}>
              {text.previewTitle(name)}
            </Text>
            <Box
              h={34}
              style={{ border: '1px solid var(--mantine-color-default-border)', borderRadius: 8 }}
            />
            <Box
              h={34}
              style={{ border: '1px solid var(--mantine-color-default-border)', borderRadius: 8 }}
            />
            <Box ta="center" py={6} fw={600} fz="sm" bg={shown} c={inkOn(shown)} style={{ borderRadius: 8 }}>
              {text.previewButton}
            </Box>
          </Stack>
        </Paper>
      </Box>
    </Input.Wrapper>
  )
}
