import { defineReading } from '../http/readings.ts'
import { defineCounter, defineLevel } from '../lib/figures.ts'
import { mailWaiting } from './store.ts'

export const DELIVERIES = defineCounter({
  name: 'latchkey_mail_deliveries_total',
  help: 'Tries to hand a mail to the mail server; refused: for good, failed: to be tried again',
  labels: { outcome: ['sent', 'refused', 'failed'] },
})

const WAITING = defineLevel({
  name: 'latchkey_mail_waiting',
  help: 'Mail that is not sent yet; counted to ten thousand',
  labels: {},
})
const OLDEST = defineLevel({
  name: 'latchkey_mail_oldest_seconds',
  help: 'How long the oldest of it has waited',
  labels: {},
})

export const mailReading = defineReading({
  levels: [WAITING, OLDEST],
  question: mailWaiting,
  tell({ figures }, [row]) {
    figures.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
    figures.set(OLDEST, [{ labels: {}, value: Math.max(0, row?.oldest ?? 0) }])
  },
})
