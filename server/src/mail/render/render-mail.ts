import { currentLanguage, runInLanguage } from '../../languages/current-language.ts'
import { DEFAULT_LANGUAGE, type Language } from '../../languages/languages.ts'
import { t } from '../../languages/translate.ts'
import { type ContentInput, createContent } from './content.ts'
import { renderHtml, showsLogo } from './html.tsx'
import { renderText } from './text.ts'

export interface RenderedMail {
  subject: string
  text: string
  html: string
  /** The hash of the logo that the HTML shows. It is attached when the mail is sent. */
  logo?: string
  language?: Language
}

/** Renders a mail in the current language. */
export function renderMail(input: ContentInput): RenderedMail {
  const content = createContent(input)
  const { brand, subject } = content
  const mail = { subject, text: renderText(content), html: renderHtml(content), language: currentLanguage() }
  return brand.logo && showsLogo(brand) ? { ...mail, logo: brand.logo.hash } : mail
}

/** The mail with a subject that tells it from a real one. */
export const toTestMail = ({ language = DEFAULT_LANGUAGE, ...mail }: RenderedMail): RenderedMail => ({
  ...mail,
  language,
  subject: runInLanguage(language, () => t('Test: {subject}', { subject: mail.subject })),
})
