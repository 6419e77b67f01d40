import type { MailDesign } from '../design.ts'
import type { StoredMailBrand } from '../design-store.ts'
import { type MailKind, NAME_VARIABLES } from '../kinds.ts'
import type { MailFact } from '../mail.ts'
import { cleanName, preventLinks, quoteName, toOneLine } from '../quote-name.ts'
import { fillTemplate } from '../template.ts'
import { FACT_LABELS, NAME_FACTS, PHRASES } from '../texts/phrases.ts'

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

export interface ContentInput {
  kind: MailKind
  design: MailDesign
  to: string
  baseUrl: string
  path: string
  values?: Readonly<Partial<Record<string, string>>> | undefined
  facts?: MailFact[] | undefined
}

const MAX_FACT_LENGTH = 200

/** Fills in the texts. Neither a text nor a name nor both together become a link. */
export function createContent(input: ContentInput): MailContent {
  const { design, baseUrl, path, facts = [] } = input
  const { text: texts, brand } = design
  const application = cleanName(brand.name)
  const values = { ...quoteNames(input.values ?? {}), application, email: input.to }
  const fill = (template: string) => preventLinks(toOneLine(fillTemplate(template, values)))
  return {
    subject: fill(texts.subject),
    brand: { ...brand, name: application },
    heading: fill(texts.heading),
    paragraphs: texts.text
      .split(/\n{2,}/)
      .map(fill)
      .filter((paragraph) => paragraph !== ''),
    facts: facts.map(toShownFact),
    button: { label: fill(texts.button), url: baseUrl + path },
    note: texts.note === undefined ? undefined : fill(texts.note),
    footer: fillTemplate(PHRASES.footer, { application, service: baseUrl }),
  }
}

/** An empty inviter is a client or an operator. */
const quoteNames = (values: Readonly<Partial<Record<string, string>>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value = '']) => {
      const isName = (NAME_VARIABLES as readonly string[]).includes(name)
      return [name, !isName ? value : value === '' ? PHRASES.unnamedInviter : quoteName(value)]
    }),
  )

const toShownFact = ({ label, value }: MailFact) => ({
  label: FACT_LABELS[label],
  value: toFactText(label, value),
})

function toFactText(label: MailFact['label'], value: string): string {
  if (NAME_FACTS.includes(label)) return quoteName(value, MAX_FACT_LENGTH)
  const line = toOneLine(value)
  return label === 'newAddress' && LOOKS_LIKE_PAGE.test(line) ? preventLinks(line) : line
}

/** An email address that a mail program may take for the address of a page, such as `www.evil.test/login@a.test`. */
const LOOKS_LIKE_PAGE = /^www\.|[/?#]/
