import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_LANGUAGE, type Language, PSEUDO_LANGUAGE } from './languages.ts'

/** One folder for each language, with one file for each slice. The path is the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../../src/languages/messages/', import.meta.url))

type Catalog = ReadonlyMap<string, string>

const catalogs = new Map<Language, Catalog>()

/** The translation of an English text. A text without one stays English. */
export function findTranslation(language: Language, text: string): string {
  if (language === DEFAULT_LANGUAGE) return text
  if (language === PSEUDO_LANGUAGE) return toPseudoText(text)
  const catalog = catalogs.get(language) ?? readCatalog(language)
  catalogs.set(language, catalog)
  return catalog.get(text) ?? text
}

/** Reads the files of a language when its first text is needed. */
function readCatalog(language: Language): Catalog {
  const folder = join(FOLDER, language)
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return new Map(files.flatMap((name) => Object.entries<string>(JSON.parse(readFileSync(join(folder, name), 'utf8')))))
}

const ACCENTS: Record<string, string> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ó',
  u: 'ú',
  A: 'Á',
  E: 'É',
  I: 'Í',
  O: 'Ó',
  U: 'Ú',
}

/** Arguments and tags stay as they are. */
function toPseudoText(text: string): string {
  let depth = 0
  const characters = [...text].map((character) => {
    if (character === '{' || character === '<') depth += 1
    if (character === '}' || character === '>') depth -= 1
    return depth > 0 ? character : (ACCENTS[character] ?? character)
  })
  return `[${characters.join('')}]`
}
