import { defineReading } from '../../http/readings.ts'
import { defineCounter, defineLevel } from '../../lib/figures.ts'
import { deliveriesWaiting } from './store.ts'

export const ATTEMPTS = defineCounter({
  name: 'latchkey_webhook_attempts_total',
  help: 'Tries to send an event to a webhook; failed ones are tried again for three days',
  labels: { outcome: ['delivered', 'failed'] },
})

const WAITING = defineLevel({
  name: 'latchkey_webhook_deliveries_waiting',
  help: 'Events that have not reached their webhook yet; counted to ten thousand',
  labels: {},
})

export const webhooksReading = defineReading({
  levels: [WAITING],
  question: deliveriesWaiting,
  tell({ figures }, [row]) {
    figures.set(WAITING, [{ labels: {}, value: row?.waiting ?? 0 }])
  },
})
