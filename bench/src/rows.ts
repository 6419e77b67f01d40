import { latchkeyRows } from './latchkey/rows.ts'
import { bareAfter, bareBefore, limitRows } from './limits/rows.ts'
import { betterAuthRows } from './peers/better-auth-rows.ts'
import { oidcProviderRows } from './peers/oidc-provider-rows.ts'
import type { Row } from './row.ts'

/** Everything that is measured, in the order of the table. */
export const allRows: Row[] = [
  bareBefore,
  ...limitRows,
  ...latchkeyRows,
  ...oidcProviderRows,
  ...betterAuthRows,
  bareAfter,
]

const TWO = ['license-check', 'introspection', 'userinfo', 'client-credentials', 'refresh', 'seat-grant']

/** The same rows asked of a service that runs as two processes. */
export const twoProcessRows: Row[] = latchkeyRows
  .filter(({ id }) => TWO.includes(id))
  .map((row) => ({
    ...{ ...row, id: `two:${row.id}`, program: 'latchkey-two' },
    compare: [{ with: row.id }],
  }))

/** The rows whose id holds a word, with those that they are compared with, and all that is asked meanwhile. */
export function pickRows(rows: Row[], word: string): Row[] {
  const named = rows.filter(({ id }) => id.includes(word))
  const wanted = new Set(named.flatMap(({ id, compare = [] }) => [id, ...compare.map((one) => one.with)]))
  const beside = rows.filter(({ id }) => wanted.has(id)).map(({ meanwhile }) => meanwhile)
  return rows.filter(({ id }) => wanted.has(id) || beside.includes(id))
}

/** In which order they are asked: after what they are compared with, the limit of the machine being the last of it. */
export function inOrder(rows: Row[]): Row[] {
  const ordered = new Set<Row>()
  const place = (row: Row) => {
    if (ordered.has(row)) return
    const others = rows.filter(({ id }) => row.compare?.some((one) => one.with === id))
    const limit = limitOf(row, rows)
    for (const other of others) if (other !== limit) place(other)
    if (limit) place(limit)
    ordered.add(row)
  }
  const isLast = ({ id }: Row) => id === bareAfter.id
  for (const row of rows.filter((row) => row.program !== 'limits' || row.id === bareBefore.id)) place(row)
  for (const row of rows.filter((row) => !isLast(row))) place(row)
  for (const row of rows.filter(isLast)) place(row)
  return [...ordered]
}

/** The limit that a row must come near to, if there is one. */
const limitOf = ({ compare = [] }: Row, rows: Row[]): Row | undefined =>
  rows.find(
    ({ id, program }) =>
      program === 'limits' && compare.some((one) => one.with === id && one.least !== undefined),
  )

/** The same with the limit asked anew before each such row: a machine that others share is not the same for long. */
export const besideLimits = (ordered: Row[]): Row[] =>
  ordered.flatMap((row, place) => {
    const limit = limitOf(row, ordered)
    return limit && limit !== ordered[place - 1] ? [limit, row] : [row]
  })
