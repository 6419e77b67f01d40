import { EVENT_TYPES, type EventType } from '../audit/catalogue.ts'

/** Which events somebody wants: types, families such as `user.*`, or `*` for all. */

export const MOST_PATTERNS = 100

const familyOf = (type: string) => `${type.split('.')[0]}.*`

const KNOWN = new Set<string>(['*', ...EVENT_TYPES, ...EVENT_TYPES.map(familyOf)])

export const isPattern = (text: string): boolean => KNOWN.has(text)

export const PATTERN_RULE = 'must be a known type of event, a family such as user.*, or *'

/** The types that the patterns stand for. */
export const typesOf = (patterns: readonly string[]): EventType[] =>
  EVENT_TYPES.filter((type) => ['*', familyOf(type), type].some((pattern) => patterns.includes(pattern)))
