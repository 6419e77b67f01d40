import type { Plan } from './plan.ts'
import type { Change } from './section.ts'

/** How a plan is shown. */
export interface Style {
  colours: boolean
  /** Puts references back for values of the environment. */
  conceal(text: string): string
}

const PLAIN: Style = { colours: false, conceal: (text) => text }
const MARKS = { create: '+', update: '~', delete: '-' } as const
const COLOURS = { create: 32, update: 33, delete: 31 } as const
/** What would act on a terminal, or turn the text around it. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** The plan as text: a block for each change, a line for each field. */
export function describeChanges(changes: Change[], style: Style = PLAIN): string {
  if (changes.length === 0) return 'Nothing to change.'
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length
  const summary = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`
  return [...changes.map((change) => describeChange(change, style)), summary].join('\n')
}

function describeChange({ action, subject, fields }: Change, style: Style): string {
  const heading = paint(`${MARKS[action]} ${show(subject, style)}`, COLOURS[action], style)
  return [`  ${heading}`, ...fields.map((field) => `      ${show(field, style)}`)].join('\n')
}

const paint = (text: string, colour: number, { colours }: Style) =>
  colours ? `\u001b[${colour}m${text}\u001b[0m` : text

const show = (text: string, { conceal }: Style) =>
  conceal(text).replace(UNFIT, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The same, and what is left alone although it is not declared. */
export function describePlan({ changes, kept }: Plan, style: Style = PLAIN): string {
  const plan = describeChanges(changes, style)
  if (kept.length === 0) return plan
  const lines = kept.map((subject) => `  = ${show(subject, style)}: not declared, kept`)
  const things = kept.length === 1 ? 'thing is' : 'things are'
  return [
    ...lines,
    plan,
    `${kept.length} ${things} not declared and kept. To delete what is not declared: --prune.`,
  ].join('\n')
}
