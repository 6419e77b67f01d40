import { Input, SegmentedControl } from '@mantine/core'
import { branding as text } from '../../text/branding.ts'
import type { Branding } from './branding-api.ts'

export type Theme = NonNullable<Branding['theme']>

const THEMES: Theme[] = ['classic', 'soft', 'crisp']

/** Selects one of the ready looks. */
export const ThemeField = ({ theme, onChange }: { theme: Theme; onChange: (theme: Theme) => void }) => (
  <Input.Wrapper label={text.theme} description={text.themes[theme].text} labelElement="div">
    <SegmentedControl
      mt={6}
      fullWidth
      aria-label={text.theme}
      data={THEMES.map((name) => ({ value: name, label: text.themes[name].label }))}
      value={theme}
      onChange={(value) => onChange(value as Theme)}
    />
  </Input.Wrapper>
)
