import { Button, Group, Text } from '@mantine/core'
import { branding as text } from '../../text/branding.ts'
import { formatNumber } from '../../ui/format.ts'
import { contrast, isColor, MIN_CONTRAST, readableOn } from './contrast.ts'
import { CARD_COLORS } from './sign-in-preview.tsx'

interface ContrastNoteProps {
  color: string
  /** The color that is saved; it can stay. */
  saved: string | null
  onChange: (color: string) => void
}

/** The contrast that the color has on the pages. The service refuses a new color that has too little. */
export function ContrastNote({ color: typed, saved, onChange }: ContrastNoteProps) {
  const color = typed.trim().toLowerCase()
  if (!isColor(color)) return null
  const inLight = contrast(color, CARD_COLORS.light)
  const dark = readableOn(CARD_COLORS.dark, color).color
  if (inLight >= MIN_CONTRAST || color === saved) {
    const inDark = toRatio(contrast(dark, CARD_COLORS.dark))
    return (
      <Text size="xs" c="dimmed" mt={-8}>
        {text.contrast.enough(toRatio(inLight), inDark, dark === color ? undefined : dark)}
      </Text>
    )
  }
  const nearest = readableOn(CARD_COLORS.light, color).color
  return (
    <Group gap="xs" mt={-8} role="status">
      <Text size="xs" c="var(--mantine-color-error)">
        {text.contrast.tooLittle(toRatio(inLight))}
      </Text>
      <Button size="compact-xs" variant="default" onClick={() => onChange(nearest)}>
        {text.contrast.use(nearest)}
      </Button>
    </Group>
  )
}

/** Rounded down, so that a ratio below the minimum is never shown as the minimum. */
const toRatio = (ratio: number): string => formatNumber(Math.floor(ratio * 100) / 100)
