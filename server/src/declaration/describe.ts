import type { Plan } from './plan.ts'
import type { Change } from './section.ts'

/** How a plan is printed. */
export interface PlanStyle {
  colors: boolean
  /** Replaces the values of environment variables by their references. */
  conceal(text: string): string
}

const PLAIN: PlanStyle = { colors: false, conceal: (text) => text }
const MARKS = { create: '+', update: '~', delete: '-' } as const
const COLORS = { create: 32, update: 33, delete: 31 } as const
/** Characters that control a terminal or change the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** The changes as text: a block for each change, a line for each field. */
export function describeChanges(changes: Change[], style: PlanStyle = PLAIN): string {
  if (changes.length === 0) return 'Nothing to change.'
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length
  const summary = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`
  return [...changes.map((change) => describeChange(change, style)), summary].join('\n')
}

function describeChange({ action, subject, fields }: Change, style: PlanStyle): string {
  const heading = paint(`${MARKS[action]} ${escapeText(subject, style)}`, COLORS[action], style)
  return [`  ${heading}`, ...fields.map((field) => `      ${escapeText(field, style)}`)].join('\n')
}

const paint = (text: string, color: number, { colors }: PlanStyle) =>
  colors ? `\u001b[${color}m${text}\u001b[0m` : text

const escapeText = (text: string, { conceal }: PlanStyle) =>
  conceal(text).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The changes, preceded by the objects that are kept although they are not declared. */
export function describePlan({ changes, kept }: Plan, style: PlanStyle = PLAIN): string {
  const plan = describeChanges(changes, style)
  if (kept.length === 0) return plan
  const lines = kept.map((subject) => `  = ${escapeText(subject, style)}: not declared, kept`)
  const objects = kept.length === 1 ? 'object is' : 'objects are'
  return [
    ...lines,
    plan,
    `${kept.length} ${objects} not declared and kept. To delete what is not declared: --prune.`,
  ].join('\n')
}
