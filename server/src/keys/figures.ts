import { defineReading } from '../http/readings.ts'
import { defineLevel } from '../lib/figures.ts'
import { keyTimes } from './store.ts'
import { findSigning, placeInTime } from './timeline.ts'

const STATES = ['upcoming', 'signing', 'published', 'retired'] as const
const DAY_MS = 86_400_000

const KEYS = defineLevel({
  name: 'latchkey_signing_keys',
  help: 'Keys for tokens by what they are for now',
  labels: { state: STATES },
})
const AGE = defineLevel({
  name: 'latchkey_signing_key_age_seconds',
  help: 'How long ago the key that signs was made',
  labels: {},
})
const ROTATION = defineLevel({
  name: 'latchkey_signing_key_rotation_seconds',
  help: 'Time until the next key is due; below zero it is late',
  labels: {},
})

export const keysReading = defineReading({
  levels: [KEYS, AGE, ROTATION],
  question: keyTimes,
  tell({ figures, config, now }, rows) {
    const at = now()
    const keys = rows.map((row) => ({
      created_at: new Date(row.created_at),
      activates_at: new Date(row.activates_at),
    }))
    const states = placeInTime(keys, at).map(({ state }) => state)
    figures.set(
      KEYS,
      STATES.map((state) => ({ labels: { state }, value: states.filter((one) => one === state).length })),
    )
    const secondsSince = (moment: Date) => (at.getTime() - moment.getTime()) / 1000
    const signing = findSigning(keys, at)
    figures.set(AGE, signing ? [{ labels: {}, value: secondsSince(signing.created_at) }] : [])
    const newest = keys[0]
    const due = newest && new Date(newest.created_at.getTime() + config.keyRotationDays * DAY_MS)
    figures.set(ROTATION, due ? [{ labels: {}, value: -secondsSince(due) }] : [])
  },
})
