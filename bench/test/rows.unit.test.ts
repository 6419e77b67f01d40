import { expect, test } from 'vitest'
import { bareAfter, bareBefore } from '../src/limits/rows.ts'
import { allRows, besideLimits, inOrder, pickRows, twoProcessRows } from '../src/rows.ts'

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

test('no two rows have the same id', () => {
  const ids = idsOf([...allRows, ...twoProcessRows])
  expect(new Set(ids).size).toBe(ids.length)
})

test('what a row is measured beside is there', () => {
  const ids = idsOf(allRows)
  const named = allRows.flatMap(({ compare = [], meanwhile }) => [
    // Only shown if it is there: what has no target, and other providers.
    ...compare
      .filter(({ with: id, least }) => least !== undefined && !id.includes(':'))
      .map((one) => one.with),
    ...(meanwhile === undefined ? [] : [meanwhile]),
  ])
  for (const id of named) expect(ids).toContain(id)
})

test('all rows are asked once, the bare route first and last, and others after what they are compared with', () => {
  const ordered = idsOf(inOrder([...allRows, ...twoProcessRows]))
  expect(ordered.toSorted()).toEqual(idsOf([...allRows, ...twoProcessRows]).toSorted())
  expect([ordered[0], ordered.at(-1)]).toEqual([bareBefore.id, bareAfter.id])
  expect(ordered.indexOf('fastify')).toBe(ordered.indexOf('license-check') - 1)
  for (const { id, compare = [] } of allRows) {
    for (const other of compare) expect(ordered.indexOf(other.with)).toBeLessThan(ordered.indexOf(id))
  }
})

test('a row that has a target beside a limit is asked right after it', () => {
  const ordered = inOrder([...allRows, ...twoProcessRows])
  const turns = besideLimits(ordered)
  const ids = idsOf(turns)
  expect([...new Set(ids)]).toEqual(idsOf(ordered))
  for (const [place, { compare = [] }] of turns.entries()) {
    const limit = compare.find(({ with: id, least }) => least !== undefined && id.startsWith('fastify'))
    if (limit) expect(ids[place - 1]).toBe(limit.with)
  }
  expect(ids.filter((id) => id === 'fastify').length).toBeGreaterThan(3)
})

test('a part of an id picks its rows, what they are compared with, and what is asked meanwhile', () => {
  expect(idsOf(pickRows(allRows, 'under-refresh'))).toEqual([
    'fastify-sign-2',
    'fastify-under-signing',
    'refresh',
    'license-check-under-refresh',
  ])
  expect(pickRows(allRows, 'nothing')).toEqual([])
})
