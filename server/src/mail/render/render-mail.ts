import { type ContentInput, createContent } from './content.ts'
import { renderHtml, showsLogo } from './html.tsx'
import { renderText } from './text.ts'

export interface RenderedMail {
  subject: string
  text: string
  html: string
  /** The hash of the logo that the HTML shows. It is attached when the mail is sent. */
  logo?: string
}

export function renderMail(input: ContentInput): RenderedMail {
  const content = createContent(input)
  const { brand, subject } = content
  const mail = { subject, text: renderText(content), html: renderHtml(content) }
  return brand.logo && showsLogo(brand) ? { ...mail, logo: brand.logo.hash } : mail
}
