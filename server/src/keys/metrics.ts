import { defineCollector } from '../http/metrics/collectors.ts'
import { defineGauge } from '../lib/metrics/metrics.ts'
import { findSigningKey, toKeyStates } from './key-states.ts'
import { keyTimesQuery } from './store.ts'

const STATES = ['upcoming', 'signing', 'published', 'retired'] as const
const DAY_MS = 86_400_000

const KEYS = defineGauge({
  name: 'latchkey_signing_keys',
  help: 'Signing keys by state',
  labels: { state: STATES },
})
const AGE = defineGauge({
  name: 'latchkey_signing_key_age_seconds',
  help: 'Age of the key that signs',
  labels: {},
})
const ROTATION = defineGauge({
  name: 'latchkey_signing_key_rotation_seconds',
  help: 'Time until the next rotation is due; negative when it is overdue',
  labels: {},
})

export const keysCollector = defineCollector({
  gauges: [KEYS, AGE, ROTATION],
  query: keyTimesQuery,
  collect({ metrics, config, now }, rows) {
    const at = now()
    const keys = rows.map((row) => ({
      created_at: new Date(row.created_at),
      activates_at: new Date(row.activates_at),
    }))
    const states = toKeyStates(keys, at).map(({ state }) => state)
    metrics.set(
      KEYS,
      STATES.map((state) => ({ labels: { state }, value: states.filter((each) => each === state).length })),
    )
    const secondsSince = (time: Date) => (at.getTime() - time.getTime()) / 1000
    const signing = findSigningKey(keys, at)
    metrics.set(AGE, signing ? [{ labels: {}, value: secondsSince(signing.created_at) }] : [])
    const newest = keys[0]
    const due = newest && new Date(newest.created_at.getTime() + config.keyRotationDays * DAY_MS)
    metrics.set(ROTATION, due ? [{ labels: {}, value: -secondsSince(due) }] : [])
  },
})
