import { latchkeyRows } from './latchkey/rows.ts'
import { baselineFirst, baselineLast, limitRows } from './limits/rows.ts'
import { betterAuthRows } from './peers/better-auth-rows.ts'
import { oidcProviderRows } from './peers/oidc-provider-rows.ts'
import type { Row } from './row.ts'

/** In the order of the table. */
export const allRows: Row[] = [
  baselineFirst,
  ...limitRows,
  ...latchkeyRows,
  ...oidcProviderRows,
  ...betterAuthRows,
  baselineLast,
]

const TWO_PROCESS_IDS = ['license-check', 'introspection', 'userinfo', 'client-credentials', 'refresh', 'seat-grant']

/** The same rows with two processes of the service. */
export const twoProcessRows: Row[] = latchkeyRows
  .filter(({ id }) => TWO_PROCESS_IDS.includes(id))
  .map((row) => ({
    ...row,
    id: `two:${row.id}`,
    program: 'latchkey-two',
    compare: [{ with: row.id }],
  }))

/** The rows whose id contains the word, the rows they are compared with, and the background rows of both. */
export function pickRows(rows: Row[], word: string): Row[] {
  const matches = rows.filter(({ id }) => id.includes(word))
  const wanted = new Set(
    matches.flatMap(({ id, compare = [] }) => [id, ...compare.map((comparison) => comparison.with)]),
  )
  const backgrounds = rows.filter(({ id }) => wanted.has(id)).map(({ background }) => background)
  return rows.filter(({ id }) => wanted.has(id) || backgrounds.includes(id))
}

/** The order of measurement: each row comes after the rows it is compared with, right after its limit row. */
export function orderRows(rows: Row[]): Row[] {
  const ordered = new Set<Row>()
  const visit = (row: Row) => {
    if (ordered.has(row)) return
    const others = rows.filter(({ id }) => row.compare?.some((comparison) => comparison.with === id))
    const limit = findLimit(row, rows)
    for (const other of others) if (other !== limit) visit(other)
    if (limit) visit(limit)
    ordered.add(row)
  }
  const isLast = ({ id }: Row) => id === baselineLast.id
  for (const row of rows.filter((row) => row.program !== 'limits' || row.id === baselineFirst.id)) visit(row)
  for (const row of rows.filter((row) => !isLast(row))) visit(row)
  for (const row of rows.filter(isLast)) visit(row)
  return [...ordered]
}

/** The limit row that a row has a target for. */
const findLimit = ({ compare = [] }: Row, rows: Row[]): Row | undefined =>
  rows.find(
    ({ id, program }) =>
      program === 'limits' && compare.some((comparison) => comparison.with === id && comparison.minRatio !== undefined),
  )

/** Repeats the limit row right before each row that has a target for it: the speed of a shared machine varies. */
export const insertLimits = (ordered: Row[]): Row[] =>
  ordered.flatMap((row, index) => {
    const limit = findLimit(row, ordered)
    return limit && limit !== ordered[index - 1] ? [limit, row] : [row]
  })
