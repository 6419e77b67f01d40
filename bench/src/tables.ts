/** Tables and numbers as the page shows them. */

export type Cell = string | number

/** The first columns are text; the others are numbers and stand on the right. */
export function table(heads: string[], rows: Cell[][], textColumns = 1): string {
  const line = (cells: Cell[]) => `| ${cells.join(' | ')} |`
  const rule = heads.map((_, index) => (index < textColumns ? '---' : '---:'))
  return [line(heads), line(rule), ...rows.map(line)].join('\n')
}

const UNKNOWN = '–'

/** Numbers that nobody knows are shown as a dash. */
export const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || !Number.isFinite(value) ? UNKNOWN : value.toFixed(digits)

/** Three digits that mean something, and commas. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 })
}

export const verdict = (met: boolean | undefined): string => {
  if (met === undefined) return UNKNOWN
  return met ? 'met' : '**missed**'
}
