/** Markdown tables and number formats of the reports. */

export type Cell = string | number

/** The first `textColumns` columns are aligned left, the others right. */
export function table(heads: string[], rows: Cell[][], textColumns = 1): string {
  const line = (cells: Cell[]) => `| ${cells.join(' | ')} |`
  const rule = heads.map((_, index) => (index < textColumns ? '---' : '---:'))
  return [line(heads), line(rule), ...rows.map(line)].join('\n')
}

const UNKNOWN = '–'

/** Unknown numbers are shown as a dash. */
export const fixed = (value: number | undefined, digits: number): string =>
  value === undefined || !Number.isFinite(value) ? UNKNOWN : value.toFixed(digits)

/** Three significant digits, with commas. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 2 })
}

export const verdict = (met: boolean | undefined): string => {
  if (met === undefined) return UNKNOWN
  return met ? 'met' : '**missed**'
}
