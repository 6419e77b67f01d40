import type { ComponentChildren, VNode } from 'preact'
import { findTranslation } from '../languages/catalogs.ts'
import { currentLanguage } from '../languages/current-language.ts'
import { findFormat } from '../languages/translate.ts'

type RichValue = string | number | Date | VNode | ((content: ComponentChildren) => VNode)

/**
 * A text with elements: `rich('Read the <a>terms</a>', { a: (content) => <a href="/terms">{content}</a> })`. Preact
 * escapes the values.
 */
export function rich(text: string, values: Readonly<Record<string, RichValue>>): ComponentChildren {
  const language = currentLanguage()
  return findFormat(language, findTranslation(language, text)).format<VNode>(values as never) as ComponentChildren
}
