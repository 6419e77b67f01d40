import { expect, test, vi } from 'vitest'
import { baselineFirst, baselineLast } from '../src/limits/rows.ts'
import { createPushScenario } from '../src/push-scenario.ts'
import { allRows, insertLimits, orderRows, pickRows, twoProcessRows } from '../src/rows.ts'

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

test('no two rows have the same id', () => {
  const ids = idsOf([...allRows, ...twoProcessRows])
  expect(new Set(ids).size).toBe(ids.length)
})

test('the rows that a row depends on exist', () => {
  const ids = idsOf(allRows)
  const named = allRows.flatMap(({ compare = [], background }) => [
    // Comparisons without a target and with other providers are optional.
    ...compare
      .filter(({ with: id, minRatio }) => minRatio !== undefined && !id.includes(':'))
      .map((comparison) => comparison.with),
    ...(background === undefined ? [] : [background]),
  ])
  for (const id of named) expect(ids).toContain(id)
})

test('every row is measured once, the bare route first and last, and others after the rows they are compared with', () => {
  const ordered = idsOf(orderRows([...allRows, ...twoProcessRows]))
  expect(ordered.toSorted()).toEqual(idsOf([...allRows, ...twoProcessRows]).toSorted())
  expect([ordered[0], ordered.at(-1)]).toEqual([baselineFirst.id, baselineLast.id])
  expect(ordered.indexOf('fastify')).toBe(ordered.indexOf('license-check') - 1)
  for (const { id, compare = [] } of allRows) {
    for (const other of compare) expect(ordered.indexOf(other.with)).toBeLessThan(ordered.indexOf(id))
  }
})

test('a row with a target for a limit is measured right after that limit', () => {
  const ordered = orderRows([...allRows, ...twoProcessRows])
  const order = insertLimits(ordered)
  const ids = idsOf(order)
  expect([...new Set(ids)]).toEqual(idsOf(ordered))
  for (const [index, { compare = [] }] of order.entries()) {
    const limit = compare.find(({ with: id, minRatio }) => minRatio !== undefined && id.startsWith('fastify'))
    if (limit) expect(ids[index - 1]).toBe(limit.with)
  }
  expect(ids.filter((id) => id === 'fastify').length).toBeGreaterThan(3)
})

test('a part of an id selects its rows, the rows they are compared with, and the background rows', () => {
  expect(idsOf(pickRows(allRows, 'under-refresh'))).toEqual([
    'fastify-sign-2',
    'fastify-under-signing',
    'refresh',
    'license-check-under-refresh',
  ])
  expect(pickRows(allRows, 'nothing')).toEqual([])
})

test('pushed requests, refreshes with a proof and ES256 tokens are compared with routes that do as much', () => {
  const limits = allRows.flatMap(({ id, compare = [] }) =>
    compare.filter((other) => other.minRatio !== undefined).map((other) => [id, other.with]),
  )
  expect(limits).toContainEqual(['pushed-request', 'fastify-push'])
  expect(limits).toContainEqual(['refresh-dpop', 'fastify-insert-sign-2-proof'])
  expect(limits).toContainEqual(['client-credentials-es256', 'fastify-sign-es256'])
})

test('a request is pushed, then used once, and must lead to a code that is new', () => {
  const { request, check } = createPushScenario({
    push: { method: 'POST', path: '/push' },
    toAuthorize: (uri) => ({ method: 'GET', path: `/authorize?${uri}` }),
  })
  const next = () => (typeof request === 'function' ? request().path : '')
  const authorize = (location?: string) => {
    expect(next()).toBe('/push')
    expect(check({ status: 201, body: '{"request_uri":"uri"}' })).toBeUndefined()
    expect(next()).toBe('/authorize?uri')
    return check({ status: 302, body: '', location })
  }
  expect(authorize('http://localhost:8080/callback?code=one')).toBeUndefined()
  expect(authorize('http://localhost:8080/callback?code=two')).toBeUndefined()
  expect(authorize('http://localhost:8080/callback?code=two')).toContain('no new code')
  expect(authorize('http://localhost:8080/callback?error=access_denied')).toContain('no new code')
  expect(authorize('http://localhost:3000/login?code=three')).toContain('no new code')
  expect(authorize()).toContain('no new code')
  expect(check({ status: 429, body: '{}' })).toContain('not pushed')
})

test('a request that was pushed in an earlier round is not used', () => {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(40_000)
  const { request, check } = createPushScenario({
    push: { method: 'POST', path: '/push' },
    toAuthorize: (uri) => ({ method: 'GET', path: `/authorize?${uri}` }),
  })
  const next = () => (typeof request === 'function' ? request().path : '')
  expect(next()).toBe('/push')
  check({ status: 201, body: '{"request_uri":"uri"}' })
  clock.mockReturnValue(69_000)
  expect(next()).toBe('/authorize?uri')
  clock.mockReturnValue(71_000)
  expect(next()).toBe('/push')
  clock.mockRestore()
})
