import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'

const MAX_SETTINGS_BYTES = 16 * 1024

export type Settings = Record<string, unknown>

/** Applies a JSON merge patch (RFC 7396). */
export function mergeSettings(settings: Settings, patch: Settings): Settings {
  const merged = merge(settings, patch) as Settings
  const isSmallEnough = Buffer.byteLength(JSON.stringify(merged)) <= MAX_SETTINGS_BYTES
  const rule = t('must not take more than {max} bytes as JSON', { max: MAX_SETTINGS_BYTES })
  throwIfInvalid([checkField(isSmallEnough, 'settings', rule)])
  return merged
}

const isObject = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Uses a map, so that keys such as `__proto__` have no special meaning. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const entries = new Map(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key)
    else entries.set(key, merge(entries.get(key), value))
  }
  return Object.fromEntries(entries)
}
