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

/** The greys of the sign-in pages in the dark: a little blue in all of them. */
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

/** A colour whose darkest shade, that of words on a light ground of the same colour, is dark enough to read. */
const readable = (
  name: string,
  darkest: string,
  changed: Record<number, string> = {},
): MantineColorsTuple => {
  const shades = (DEFAULT_THEME.colors[name] ?? indigo).map((shade, index) => changed[index] ?? shade)
  return [...shades.slice(0, 9), darkest] as unknown as MantineColorsTuple
}

export const theme = createTheme({
  colors: {
    brand: indigo,
    dark: night,
    // White words stand on this red where something hurts.
    red: readable('red', '#a51d1d', { 5: '#d53b3b', 7: '#d02f2f', 8: '#b92525' }),
    orange: readable('orange', '#9c3706'),
    yellow: readable('yellow', '#7a4b00'),
    lime: readable('lime', '#3c6206'),
    green: readable('green', '#1d6a2e'),
    teal: readable('teal', '#066046'),
  },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 5 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Those of the colours in which initials can be read in both schemes.
    Avatar: { defaultProps: { allowedInitialsColors: ['blue', 'indigo', 'violet', 'grape', 'pink'] } },
    // It would put the focus on an element that nobody can see.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45, blur: 2 } } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md', highlightOnHover: true } },
    NavLink: { defaultProps: { styles: { root: { borderRadius: 8 } } } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': shell.close } } },
    Loader: { defaultProps: { type: 'dots' } },
  },
})
