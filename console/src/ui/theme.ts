import { createTheme, type MantineColorsTuple } from '@mantine/core'

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

export const theme = createTheme({
  colors: { brand: indigo },
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
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45, blur: 2 } } },
    Table: { defaultProps: { verticalSpacing: 'sm', horizontalSpacing: 'md', highlightOnHover: true } },
    NavLink: { defaultProps: { styles: { root: { borderRadius: 8 } } } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
    Loader: { defaultProps: { type: 'dots' } },
  },
})
