import { defineReading } from '../../http/readings.ts'
import { defineLevel } from '../../lib/figures.ts'
import { chainPending } from './store.ts'

const PENDING = defineLevel({
  name: 'latchkey_audit_pending',
  help: 'Entries of the audit log that are not in its chain yet; counted to ten thousand',
  labels: {},
})
const OLDEST = defineLevel({
  name: 'latchkey_audit_oldest_pending_seconds',
  help: 'How long the oldest of them has waited',
  labels: {},
})

export const auditReading = defineReading({
  levels: [PENDING, OLDEST],
  question: chainPending,
  tell({ figures }, [row]) {
    figures.set(PENDING, [{ labels: {}, value: row?.pending ?? 0 }])
    figures.set(OLDEST, [{ labels: {}, value: Math.max(0, row?.oldest ?? 0) }])
  },
})
