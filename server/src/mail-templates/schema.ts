import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'
import { LANGUAGES } from '../languages/languages.ts'
import { listMailKinds, TENANT_MAIL_KINDS } from '../mail/kinds.ts'
import { MAX_LENGTHS } from './rules.ts'

const optionalText = (maxLength: number, description: string) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength: 10 * maxLength }), Type.Null()], {
      description: `${description}; at most ${maxLength} characters; left out or null: the default`,
    }),
  )
const storedText = Type.Union([Type.String(), Type.Null()], { description: 'null: the default' })

export const MailTemplateTexts = Type.Object(
  {
    subject: optionalText(MAX_LENGTHS.subject, 'The subject'),
    heading: optionalText(MAX_LENGTHS.heading, 'The heading'),
    text: optionalText(MAX_LENGTHS.text, 'The text; an empty line begins a paragraph'),
    button: optionalText(MAX_LENGTHS.button, 'The label of the button'),
  },
  { title: 'MailTemplateTexts' },
)
export type MailTemplateTexts = Static<typeof MailTemplateTexts>

/** For a preview or a test mail. */
export const MailTemplateDraft = Type.Object(
  {
    ...MailTemplateTexts.properties,
    language: Type.Optional(
      Type.Enum([...LANGUAGES], {
        description: 'The language of the texts that are left out, and of dates and labels',
      }),
    ),
  },
  { title: 'MailTemplateDraft' },
)

export const MailTemplateBody = Type.Object(
  {
    kind: Type.String({ description: 'What the mail is about', 'x-known-values': listMailKinds() }),
    variables: Type.Array(Type.String(), {
      description: 'The names that the texts may contain in double braces, such as {{application}}',
    }),
    subject: storedText,
    heading: storedText,
    text: storedText,
    button: storedText,
    defaults: Type.Object(
      { subject: Type.String(), heading: Type.String(), text: Type.String(), button: Type.String() },
      { title: 'MailTemplateDefaults', description: 'The texts in place of those that are null' },
    ),
    note: Type.Union([Type.String(), Type.Null()], {
      description: 'What to do about an unexpected mail. It cannot be edited.',
    }),
    updatedAt: Type.Union([Timestamp, Type.Null()], { description: 'null: nothing is edited' }),
  },
  { title: 'MailTemplate' },
)
export type MailTemplateBody = Static<typeof MailTemplateBody>

export const MailTemplateList = Type.Object(
  { mailTemplates: Type.Array(MailTemplateBody) },
  { title: 'MailTemplateList' },
)

export const MailPreview = Type.Object(
  { subject: Type.String(), text: Type.String(), html: Type.String({ description: 'A whole document' }) },
  { title: 'MailPreview' },
)

const kind = (kinds: readonly string[]) => Type.String({ description: `One of: ${kinds.join(', ')}` })

export const ByKind = Type.Object({ kind: kind(listMailKinds()) })
export const ByTenantAndKind = Type.Object({ id: Type.String(), kind: kind(TENANT_MAIL_KINDS) })
export const ByTenant = Type.Object({ id: Type.String() })
