import { EVENT_TYPES, type EventType } from '../audit/catalog.ts'
import { translatable } from '../languages/translate.ts'

/** Patterns select events: a type, a family such as `user.*`, or `*` for all. */

export const MAX_PATTERNS = 100

const familyOf = (type: string) => `${type.split('.')[0]}.*`

const PATTERNS = new Set<string>(['*', ...EVENT_TYPES, ...EVENT_TYPES.map(familyOf)])

export const isPattern = (text: string): boolean => PATTERNS.has(text)

export const PATTERN_RULE = translatable('must be a known type of event, a family such as user.*, or *')

/** The event types that match the patterns. */
export const expandPatterns = (patterns: readonly string[]): EventType[] =>
  EVENT_TYPES.filter((type) => ['*', familyOf(type), type].some((pattern) => patterns.includes(pattern)))
