import { currentLanguage } from '../../languages/current-language.ts'
import { isolate } from '../../languages/isolate-arguments.ts'
import { toDirection } from '../../languages/languages.ts'
import { t } from '../../languages/translate.ts'
import { applyEdits, type MailDesign } from '../design.ts'
import type { StoredMailBrand } from '../design-store.ts'
import { type MailKind, NAME_VARIABLES } from '../kinds.ts'
import type { MailFact } from '../mail.ts'
import { cleanName, freeUrls, preventLinks, quoteName, toOneLine } from '../quote-name.ts'
import { fillTemplate } from '../template.ts'
import { toDateText, toTimeText } from '../texts/dates.ts'
import { toDeviceText } from '../texts/device.ts'
import { toDurationText } from '../texts/duration.ts'
import { findDefaultText } from '../texts/find-text.ts'
import { DISABLED_REASONS, FACT_LABELS, ROLE_NAMES } from '../texts/phrases.ts'

/** A mail with its final texts, which the HTML and the plain text are made of. */
export interface MailContent {
  subject: string
  brand: StoredMailBrand
  heading: string
  paragraphs: string[]
  facts: { label: string; value: string }[]
  button: { label: string; url: string }
  note: string | undefined
  footer: string
}

/** The values of variables: a number is a duration in seconds. */
export type MailValues = Readonly<Partial<Record<string, string | number | Date>>>

export interface ContentInput {
  kind: MailKind
  design: Pick<MailDesign, 'brand' | 'edits'>
  to: string
  baseUrl: string
  path: string
  values?: MailValues | undefined
  facts?: MailFact[] | undefined
}

const MAX_FACT_LENGTH = 200

/** Fills in the texts in the current language. Neither a text nor a name nor both together become a link. */
export function createContent(input: ContentInput): MailContent {
  const { kind, design, baseUrl, path, facts = [] } = input
  const texts = design.edits.reduce(applyEdits, findDefaultText(kind))
  const { brand } = design
  const application = cleanName(brand.name)
  const own = { application: keepDirection(application), email: keepDirection(toOneLine(input.to)) }
  const values = { ...putIntoWords(input.values ?? {}), ...own }
  const fill = (template: string) => preventLinks(fillTemplate(toOneLine(template), values).trim())
  return {
    subject: fill(texts.subject),
    brand: { ...brand, name: application },
    heading: fill(texts.heading),
    paragraphs: texts.text
      .split(/\n{2,}/)
      .map(fill)
      .filter((paragraph) => paragraph !== ''),
    facts: facts.map((fact) => ({ label: t(FACT_LABELS[fact.label]), value: toFactText(fact) })),
    button: { label: fill(texts.button), url: baseUrl + path },
    note: texts.note === undefined ? undefined : fill(texts.note),
    footer: freeUrls(t('Sent by {application} at {service}', { application, service: baseUrl })),
  }
}

/** An empty inviter is a client or an operator, an empty actor a declaration. */
const putIntoWords = (values: MailValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value = '']) => {
      if (typeof value === 'number') return [name, toDurationText(value)]
      if (typeof value !== 'string') return [name, toDateText(value)]
      if (!(NAME_VARIABLES as readonly string[]).includes(name)) return [name, toOneLine(value)]
      if (value !== '') return [name, quoteName(value)]
      return [name, name === 'actor' ? t('The operator of this service') : t('An admin')]
    }),
  )

/**
 * In a text from right to left, the name or address keeps its own direction, as the arguments of `t` do. A code of digits
 * needs nothing, and people copy it.
 */
const keepDirection = (value: string): string =>
  toDirection(currentLanguage()) === 'rtl' && /\p{L}/u.test(value) ? isolate(value) : value

/** Values that people or other services choose are in quotation marks. */
function toFactText(fact: MailFact): string {
  switch (fact.label) {
    case 'account':
    case 'passkey':
    case 'webhook':
      return quoteName(fact.value, MAX_FACT_LENGTH)
    case 'device':
      return toOneLine(toDeviceText(fact.value))
    case 'disabledReason':
      return t(DISABLED_REASONS[fact.value])
    case 'erasedOn':
      return toDateText(fact.value)
    case 'newAddress':
      return toAddressText(toOneLine(fact.value))
    case 'role':
      return t(ROLE_NAMES[fact.value])
    case 'time':
    case 'until':
      return toTimeText(fact.value)
    default:
      return toOneLine(fact.value)
  }
}

const toAddressText = (address: string): string => (LOOKS_LIKE_PAGE.test(address) ? preventLinks(address) : address)

/** An email address that a mail program may take for the address of a page, such as `www.evil.test/login@a.test`. */
const LOOKS_LIKE_PAGE = /^www\.|[/?#]/
