import type { Reply } from '@latchkey/client'
import { health as text } from '../../../text/health.ts'

export type Level = 'good' | 'waiting' | 'look'

export interface Check {
  name: string
  level: Level
  result: string
  /** The recommended action. */
  todo?: string
  link?: { href: string; label: string }
}

type Health = Reply<'GET /api/admin/overview'>['health']

/** Queue lengths that need attention. */
const MAX_QUEUE_LENGTH = { mail: 20, jobs: 200, webhooks: 200, audit: 1_000 }
/** Keys rotate after 90 days by default, with two days of tolerance for the overlap. */
const MAX_KEY_AGE_DAYS = 92

/** Evaluates the health metrics. */
export function toChecks(health: Health, isReady: boolean): Check[] {
  return [
    isReady
      ? { name: text.ready.name, level: 'good', result: text.ready.good }
      : { name: text.ready.name, level: 'look', result: text.ready.look, todo: text.ready.todo },
    health.database === 'ok'
      ? { name: text.database.name, level: 'good', result: text.database.good }
      : { name: text.database.name, level: 'look', result: text.database.look, todo: text.database.todo },
    checkQueue('mail', health.mailWaiting),
    checkQueue('jobs', health.jobsWaiting),
    checkQueue('webhooks', health.webhooksWaiting),
    checkDisabledWebhooks(health.webhooksDisabled),
    checkQueue('audit', health.auditBehind),
    checkSigningKey(health.signingKey),
  ]
}

function checkQueue(kind: keyof typeof MAX_QUEUE_LENGTH, count: number): Check {
  const { name, good, waiting, todo } = text[kind]
  if (count === 0) return { name, level: 'good', result: good }
  const result = waiting(count)
  return count < MAX_QUEUE_LENGTH[kind] ? { name, level: 'waiting', result } : { name, level: 'look', result, todo }
}

function checkDisabledWebhooks(count: number): Check {
  const { name, good, look, todo, link } = text.disabled
  if (count === 0) return { name, level: 'good', result: good }
  return { name, level: 'look', result: look(count), todo, link: { href: '/webhooks', label: link } }
}

function checkSigningKey(key: Health['signingKey']): Check {
  const { name, good, none, todo, link } = text.key
  const advice = { todo, link: { href: '/keys', label: link } }
  if (!key) return { name, level: 'look', result: none, ...advice }
  const result = good(key.ageDays)
  return key.ageDays < MAX_KEY_AGE_DAYS ? { name, level: 'good', result } : { name, level: 'look', result, ...advice }
}

/** The worst level of all checks. */
export const worstLevel = (checks: Check[]): Level =>
  (['look', 'waiting'] as const).find((level) => checks.some((check) => check.level === level)) ?? 'good'
