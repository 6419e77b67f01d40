/// <reference types="vite/client" />

type Catalog = Readonly<Record<string, string>>

/** One file for each language, which is loaded when it is needed. */
const files = import.meta.glob<Catalog>(['./*.ts', '!./catalog.ts'], { import: 'catalog' })

let catalog: Catalog = {}

/** The service sets it: it knows the language of this browser, and that of the hosted pages. Without a page it is English. */
export const currentLanguage = (): string => globalThis.document?.documentElement.lang || 'en'

/** Numbers and dates are those of the region of this browser, if the console is in its language. */
export const currentLocale = (): string => {
  const language = currentLanguage()
  const tags = globalThis.navigator?.languages ?? []
  return tags.find((tag) => tag === language || tag.startsWith(`${language}-`)) ?? language
}

export const currentDirection = (): 'ltr' | 'rtl' =>
  globalThis.document?.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'

/** Loads the texts of the language. It comes before all modules with texts. Without the file they are English. */
export async function loadCatalog(): Promise<void> {
  const load = files[`./${currentLanguage().toLowerCase()}.ts`]
  if (load) catalog = await load().catch(() => ({}))
}

const ACCENTS: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' }

/** The translation of an English text. A text without one stays English. */
export const findTranslation = (text: string): string =>
  currentLanguage() === 'en-XA' ? toPseudoText(text) : (catalog[text] ?? text)

/** For tests: shows texts that nobody can translate. Arguments and tags stay as they are. */
function toPseudoText(text: string): string {
  let depth = 0
  const characters = [...text].map((character) => {
    if (character === '{' || character === '<') depth += 1
    if (character === '}' || character === '>') depth -= 1
    return depth > 0 ? character : (ACCENTS[character] ?? character)
  })
  return `[${characters.join('')}]`
}
