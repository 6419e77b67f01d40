import { createTheme, DEFAULT_THEME, type MantineColorsTuple } from '@mantine/core'
import { shell } from '../text/shell.ts'

/** The blue of the sign-in pages. */
const indigo: MantineColorsTuple = [
  '#eef1fd',
  '#dbe2fa',
  '#b4c2f4',
  '#8ba0ee',
  '#6a84e9',
  '#4f6cdb',
  '#3f5cd0',
  '#2f4fc4',
  '#2743a8',
  '#1e368a',
]

/** The grays of the sign-in pages in the dark color scheme. */
const night: MantineColorsTuple = [
  '#e8eaf0',
  '#c4cad6',
  '#a2a9b8',
  '#8a92a3',
  '#434957',
  '#343945',
  '#262a33',
  '#1d2027',
  '#16181e',
  '#101217',
]

/** A palette whose darkest shade has enough contrast as text on its lightest shade. */
const withReadableText = (
  name: string,
  darkest: string,
  overrides: Record<number, string> = {},
): MantineColorsTuple => {
  const shades = (DEFAULT_THEME.colors[name] ?? indigo).map((shade, index) => overrides[index] ?? shade)
  return [...shades.slice(0, 9), darkest] as unknown as MantineColorsTuple
}

export const theme = createTheme({
  colors: {
    brand: indigo,
    dark: night,
    // White text on red buttons needs these darker shades.
    red: withReadableText('red', '#a51d1d', { 5: '#d53b3b', 7: '#d02f2f', 8: '#b92525' }),
    orange: withReadableText('orange', '#9c3706'),
    yellow: withReadableText('yellow', '#7a4b00'),
    lime: withReadableText('lime', '#3c6206'),
    green: withReadableText('green', '#1d6a2e'),
    teal: withReadableText('teal', '#066046'),
  },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'Figtree, "Figtree fallback", var(--device-fonts)',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Only colors in which initials have enough contrast in both schemes.
    Avatar: { defaultProps: { allowedInitialsColors: ['blue', 'indigo', 'violet', 'grape', 'pink'] } },
    // The placeholder would take the focus invisibly.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45, blur: 2 } } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md', highlightOnHover: true } },
    NavLink: { defaultProps: { styles: { root: { borderRadius: 8 } } } },
    // A transition would show colors without contrast when the color scheme changes.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': shell.close } } },
    Loader: { defaultProps: { type: 'dots' } },
  },
})
