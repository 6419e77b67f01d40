/** The beginning of a cell that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One CSV line (RFC 4180). A leading apostrophe makes spreadsheets treat a formula as text. */
export const toCsvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => toCell(cell ?? '')).join(',')}\r\n`

function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /["',\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
