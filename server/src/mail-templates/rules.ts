import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { containsWebAddress, isPlainLine, isVisible, NO_WEB_ADDRESS } from '../lib/text.ts'
import type { MailEdits } from '../mail/design-store.ts'
import { listVariables, type MailKind } from '../mail/kinds.ts'
import { fillTemplate, hasStrayBraces, listUsedVariables } from '../mail/template.ts'
import type { MailText } from '../mail/texts/text.ts'

export const MAX_LENGTHS = { subject: 150, heading: 150, text: 4_000, button: 40 } as const
export type EditedField = keyof typeof MAX_LENGTHS
export const EDITED_FIELDS = ['subject', 'heading', 'text', 'button'] as const satisfies EditedField[]

export type MailEditsInput = { [K in EditedField]?: string | null | undefined }

export const NO_EDITS: MailEdits = { subject: null, heading: null, text: null, button: null }

/**
 * The texts in the form in which they are stored. A text like the default is not an edit, so that it follows later
 * changes of the default. Throws one error that lists every invalid field.
 */
export function parseEdits(kind: MailKind, input: MailEditsInput, defaults: MailText): MailEdits {
  const entries = EDITED_FIELDS.map((field) => {
    const text = normalize(input[field])
    return [field, text === defaults[field] ? null : text] as const
  })
  const edits: MailEdits = { ...NO_EDITS, ...Object.fromEntries(entries) }
  throwIfInvalid([
    ...entries.flatMap(([field, text]) => (text === null ? [] : checkText(kind, field, text))),
    ...(kind === 'sign-in-code' ? checkCodeMail(edits, defaults) : []),
  ])
  return edits
}

/** The mail is the only place that shows the code, and it must be typed in the browser that asked for it. */
function checkCodeMail({ heading, text, button }: MailEdits, defaults: MailText) {
  const shown = listUsedVariables(`${heading ?? defaults.heading} ${text ?? defaults.text}`)
  return [
    checkField(shown.includes('code'), 'text', t('must contain {code}, unless the heading does', { code: '{{code}}' })),
    checkField(button === null, 'button', t('must be empty: this mail has no button')),
  ]
}

const normalize = (text: string | null | undefined): string | null =>
  text
    ?.trim()
    .replace(/\r\n?/g, '\n')
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n') ?? null

function checkText(kind: MailKind, field: EditedField, text: string) {
  const variables = listVariables(kind)
  const unknown = listUsedVariables(text).filter((name) => !(variables as readonly string[]).includes(name))
  const lines = field === 'text' ? text.split('\n') : [text]
  const max = MAX_LENGTHS[field]
  const known = variables.map((name) => `{{${name}}}`).join(', ')
  return [
    checkField(isVisible(text) && [...text].length <= max, field, t('must have 1 to {max} characters', { max })),
    checkField(
      lines.every(isPlainLine),
      field,
      field === 'text' ? t('must be without control characters') : t('must be one line without control characters'),
    ),
    checkField(
      unknown.length === 0,
      field,
      t('contains {unknown}, but this mail only has {known}', { unknown: `{{${unknown[0]}}}`, known }),
    ),
    checkField(
      !hasStrayBraces(text),
      field,
      t('contains {opening} or {closing} without a variable; it may contain {known}', {
        opening: '{{',
        closing: '}}',
        known,
      }),
    ),
    checkField(!mayBecomeLink(text), field, t(NO_WEB_ADDRESS)),
  ]
}

/** Also where a variable is a part of the address. */
const mayBecomeLink = (text: string): boolean =>
  ['', 'a'].some((value) =>
    containsWebAddress(fillTemplate(text, Object.fromEntries(listUsedVariables(text).map((name) => [name, value])))),
  )
