import { demand, refuseProblems } from '../lib/problems.ts'

const MOST_BYTES = 16 * 1024

export type Settings = Record<string, unknown>

/** The settings with a change applied (RFC 7396): what it names is replaced, what it names null goes. */
export function mergeSettings(settings: Settings, patch: Settings): Settings {
  const merged = merge(settings, patch) as Settings
  const fits = Buffer.byteLength(JSON.stringify(merged)) <= MOST_BYTES
  refuseProblems([demand(fits, 'settings', `must not take more than ${MOST_BYTES} bytes as JSON`)])
  return merged
}

const isObject = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Built from entries, so that no key, whatever it is called, is more than a key. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const kept = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) kept.delete(key)
    else kept.set(key, merge(kept.get(key), value))
  }
  return Object.fromEntries(kept)
}
