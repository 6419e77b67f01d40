import type { Reply } from 'latchkey-sdk'
import { health as text } from '../../../text/health.ts'

export type Level = 'good' | 'waiting' | 'look'

export interface Check {
  name: string
  level: Level
  says: string
  /** What to do about it. */
  todo?: string
  link?: { href: string; label: string }
}

type Health = Reply<'GET /api/admin/overview'>['health']

/** From how many on something waits longer than it should. */
const MANY = { mail: 20, jobs: 200, webhooks: 200, audit: 1_000 }
/** A key is replaced after 90 days where nothing else is set; a few more pass until the old one steps back. */
const OLD_KEY_DAYS = 92

/** What the figures mean, check by check. */
export function toChecks(health: Health, isReady: boolean): Check[] {
  return [
    isReady
      ? { name: text.ready.name, level: 'good', says: text.ready.good }
      : { name: text.ready.name, level: 'look', says: text.ready.look, todo: text.ready.todo },
    health.database === 'ok'
      ? { name: text.database.name, level: 'good', says: text.database.good }
      : { name: text.database.name, level: 'look', says: text.database.look, todo: text.database.todo },
    queue('mail', health.mailWaiting),
    queue('jobs', health.jobsWaiting),
    queue('webhooks', health.webhooksWaiting),
    disabledWebhooks(health.webhooksDisabled),
    queue('audit', health.auditBehind),
    signingKey(health.signingKey),
  ]
}

function queue(kind: keyof typeof MANY, count: number): Check {
  const { name, good, waiting, todo } = text[kind]
  if (count === 0) return { name, level: 'good', says: good }
  const says = waiting(count)
  return count < MANY[kind] ? { name, level: 'waiting', says } : { name, level: 'look', says, todo }
}

function disabledWebhooks(count: number): Check {
  const { name, good, look, todo, link } = text.disabled
  if (count === 0) return { name, level: 'good', says: good }
  return { name, level: 'look', says: look(count), todo, link: { href: '/webhooks', label: link } }
}

function signingKey(key: Health['signingKey']): Check {
  const { name, good, none, todo, link } = text.key
  const way = { todo, link: { href: '/keys', label: link } }
  if (!key) return { name, level: 'look', says: none, ...way }
  const says = good(key.ageDays)
  return key.ageDays < OLD_KEY_DAYS ? { name, level: 'good', says } : { name, level: 'look', says, ...way }
}

/** The whole is as well as the worst of it. */
export const worstOf = (checks: Check[]): Level =>
  (['look', 'waiting'] as const).find((level) => checks.some((check) => check.level === level)) ?? 'good'
