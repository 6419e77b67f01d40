import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { logIn } from '../account/people.ts'
import { freePort } from '../support/program.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, signIn, startDemoService, token } from '../support/world.ts'
import { type Sample, scrape } from './exposition.ts'
import { findUnknownMetrics, isBalanced, listSelectors } from './promql.ts'

const read = (path: string) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8')

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}
interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; datasource: { uid: string } }[]
}

const { groups } = parse(read('monitoring/alerts.yaml')) as { groups: { name: string; rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('monitoring/dashboard.json')) as {
  uid: string
  panels: Panel[]
  templating: { list: { name: string; type: string; query: unknown }[] }
}
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

let service: TestService
let samples: Sample[]
beforeAll(async () => {
  service = await startDemoService({
    worker: true,
    config: {
      mail: { smtpUrl: `smtp://127.0.0.1:${await freePort()}`, mailbox: false, from: 'a@b.test' },
      limits: { signInFailures: 3, confirmFailures: 3, clientFailures: 3 },
      sso: [await unreachableProvider()],
      auditStreams: [await unreachableTarget()],
    },
  })
  await makeTraffic()
  // Some metrics appear with a delay. Expressions that still match nothing fail in the tests.
  for (let i = 0; i < 30 && (await findDeadExpressions()).length > 0; i++) await sleep(500)
})
afterAll(() => service?.close())

async function findDeadExpressions(): Promise<string[]> {
  samples = await scrape(service)
  return [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)].flatMap((expression) =>
    findUnknownMetrics(expression, samples),
  )
}

/** An SSO provider that is down. */
const unreachableProvider = async () => ({
  name: 'OKTA',
  label: 'Okta',
  issuer: `http://127.0.0.1:${await freePort()}`,
  clientId: 'c',
  clientSecret: 's',
  scopes: 'openid',
  trustEmail: false,
  trustReauthentication: false,
})

/** An audit stream whose target is down. */
const unreachableTarget = async () =>
  ({
    type: 'otlp',
    name: 'SIEM',
    url: `http://127.0.0.1:${await freePort()}/v1/logs`,
    from: 'now',
    delayMs: 0,
    tls: {},
    headers: {},
  }) as const

/** Successful and failed requests of all kinds. */
async function makeTraffic(): Promise<void> {
  const { url } = service
  await signIn(url, 'mia@acme.test')
  for (let i = 0; i < 5; i++) await logIn(url, 'max@acme.test', 'wrong')
  for (let i = 0; i < 6; i++) {
    await token(url, { grant_type: 'client_credentials', client_id: 'demo-machine', client_secret: 'wrong' })
  }
  await machineToken(url, 'demo-ops')
  await fetch(`${url}/sso/okta`, { redirect: 'manual' })
  await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: 'new@people.test', password: 'correct horse battery 9' }),
  })
}

describe('alert rules:', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s uses existing metrics', (_name, rule) => {
    expect(listSelectors(rule.expr).length).toBeGreaterThan(0)
    expect(findUnknownMetrics(rule.expr, samples)).toEqual([])
  })

  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s is a valid Prometheus rule', (_name, rule) => {
    expect(Object.keys(rule).filter((key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key))).toEqual(
      [],
    )
    expect(rule.alert).toMatch(/^Latchkey[A-Za-z]+$/)
    expect(isBalanced(rule.expr)).toBe(true)
    expect(rule.for ?? '0s').toMatch(/^\d+[smh]$/)
    expect(['critical', 'warning']).toContain(rule.labels.severity)
    // Labels in the summary must survive the grouping.
    for (const [, label = ''] of rule.annotations.summary.matchAll(/\$labels\.(\w+)/g)) {
      const grouped = [...rule.expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, list = '']) => list.split(/, */))
      expect(grouped.every((labels) => labels.includes(label))).toBe(true)
    }
  })

  test('names are unique, and each has a section in the docs', () => {
    const names = rules.map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    const chapters = [...read('monitoring.md').matchAll(/^### (\w+)$/gm)].map(([, title]) => title)
    expect(chapters.sort()).toEqual(names.sort())
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`docs/monitoring.md#${alert.toLowerCase()}`)
    }
  })
})

describe('the dashboard', () => {
  test('uses existing metrics only', () => {
    const dead = targets.flatMap(({ title, expr }) =>
      findUnknownMetrics(expr, samples).map((problem) => `${title}: ${problem}`),
    )
    expect(dead).toEqual([])
    expect(targets.filter(({ expr }) => !isBalanced(expr))).toEqual([])
  })

  test('can be imported: unique ids, a selectable data source, no overlapping panels', () => {
    const { panels, templating } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' })
    expect(targets.every(({ datasource }) => datasource.uid === '$' + '{datasource}')).toBe(true)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
    expect(panels.filter(({ type, description }) => type !== 'row' && !description)).toEqual([])
  })
})

test('every metric is documented', () => {
  const names = new Set(samples.map(({ name }) => name.replace(/_(?:bucket|sum|count)$/, '')))
  const ours = [...names].filter((name) => name.startsWith('latchkey_'))
  expect(ours.length).toBeGreaterThan(25)
  const text = read('monitoring.md')
  expect(ours.filter((name) => !text.includes(`\`${name}`))).toEqual([])
})

test('a rule with an unknown metric, label or value is detected', () => {
  expect(findUnknownMetrics('rate(latchkey_nothing_total[5m]) > 1', samples)).toEqual([
    'latchkey_nothing_total does not exist',
  ])
  expect(findUnknownMetrics('latchkey_sign_ins_total{outcome="splendid"} > 1', samples)).toHaveLength(1)
  expect(findUnknownMetrics('sum by (color) (latchkey_sign_ins_total)', samples)).toHaveLength(1)
})
