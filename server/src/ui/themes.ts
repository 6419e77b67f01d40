import { createHash } from 'node:crypto'

/**
 * The ready looks of the hosted pages. Each sets variables of style.css only. None changes `--card`, so that the contrast
 * of a brand color is the same in all of them.
 */
export type ThemeName = 'classic' | 'soft' | 'crisp'

const SOFT = `:root {
  --paper: color-mix(in srgb, var(--accent) 9%, light-dark(#f7f8fc, #14161b));
  --round: 12px;
  --round-card: 26px;
  --round-button: 999px;
}
`

const CRISP = `:root {
  --paper: var(--card);
  --line: light-dark(#c9ced8, #434957);
  --edge: light-dark(#5b6372, #8a92a3);
  --shade: transparent;
  --round: 2px;
  --round-card: 0;
  --round-button: 2px;
}
`

const toSheet = (name: ThemeName, body: string) => ({
  name: `theme-${name}-${createHash('sha256').update(body).digest('hex').slice(0, 12)}.css`,
  body,
})

/** Classic is what style.css says. */
const sheets: Partial<Record<ThemeName, { name: string; body: string }>> = {
  soft: toSheet('soft', SOFT),
  crisp: toSheet('crisp', CRISP),
}

/** The path of the stylesheet; undefined for the classic look. */
export function themePath(theme: ThemeName | undefined): string | undefined {
  const sheet = theme && sheets[theme]
  return sheet && `/assets/${sheet.name}`
}

export const findThemeSheet = (name: string): string | undefined =>
  Object.values(sheets).find((sheet) => sheet.name === name)?.body
