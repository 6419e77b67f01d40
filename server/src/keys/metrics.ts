import { defineCollector } from '../http/metrics/collectors.ts'
import { defineGauge } from '../lib/metrics/metrics.ts'
import { findSigningKey, keysFor, toKeyStates } from './key-states.ts'
import { keyTimesQuery } from './store.ts'

const STATES = ['upcoming', 'signing', 'published', 'retired'] as const
const DAY_SECONDS = 86_400

const KEYS = defineGauge({
  name: 'latchkey_signing_keys',
  help: 'Signing keys by state',
  labels: { state: STATES },
})
const AGE = defineGauge({
  name: 'latchkey_signing_key_age_seconds',
  help: 'Age of the oldest key that signs',
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
      ...row,
      created_at: new Date(row.created_at),
      activates_at: new Date(row.activates_at),
    }))
    const states = toKeyStates(keys, at).map(({ state }) => state)
    metrics.set(
      KEYS,
      STATES.map((state) => ({ labels: { state }, value: states.filter((each) => each === state).length })),
    )
    const secondsSince = (time: Date) => (at.getTime() - time.getTime()) / 1000
    // Keys of an algorithm that no application uses any more are not rotated.
    const used = keys.filter((key) => key.used)
    const algorithms = [...new Set(used.map(({ algorithm }) => algorithm))]
    const ages = algorithms.flatMap((algorithm) => {
      const signing = findSigningKey(used, at, algorithm)
      return signing ? [secondsSince(signing.created_at)] : []
    })
    metrics.set(AGE, ages.length > 0 ? [{ labels: {}, value: Math.max(...ages) }] : [])
    const waits = algorithms.map((algorithm) => {
      const age = secondsSince(keysFor(used, algorithm)[0]?.created_at ?? at)
      return config.keyRotationDays * DAY_SECONDS - age
    })
    metrics.set(ROTATION, waits.length > 0 ? [{ labels: {}, value: Math.min(...waits) }] : [])
  },
})
