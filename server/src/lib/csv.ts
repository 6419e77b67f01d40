/** A cell that a spreadsheet would take for a formula, and run. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

/** One line of a table (RFC 4180). What begins like a formula is led by an apostrophe, so that it is read as text. */
export const toCsvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => toCell(cell ?? '')).join(',')}\r\n`

function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /["',\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
