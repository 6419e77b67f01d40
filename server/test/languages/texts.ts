import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser'
import { parseAst } from 'rolldown/parseAst'

/** A text of the sources that is shown to people. */
export interface SourceText {
  file: string
  text: string
}

/** Texts are the first arguments of these functions. */
const FUNCTIONS = ['t', 'rich', 'translatable']

export function listSourceFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'))
}

/** The texts of a file. A text that is put together from parts is returned as a problem. */
export function extractTexts(file: string, source: string): { texts: SourceText[]; problems: string[] } {
  const [texts, problems]: [SourceText[], string[]] = [[], []]
  // Most files have none, and parsing all takes seconds.
  if (!/\b(?:t|rich|translatable)\(/.test(source)) return { texts, problems }
  visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }), (node) => {
    if (node.type !== 'CallExpression' || !FUNCTIONS.includes(String(node.callee?.name))) return
    const [first] = node.arguments ?? []
    if (first?.type === 'Literal') texts.push({ file, text: String(first.value) })
    else if (first?.type === 'TemplateLiteral' && first.quasis?.length === 1)
      texts.push({ file, text: first.quasis[0]?.value?.cooked ?? '' })
    else if (first?.type === 'TemplateLiteral' || first?.type === 'BinaryExpression')
      problems.push(`${file}: a text of ${String(node.callee?.name)}() is put together from parts`)
  })
  return { texts, problems }
}

interface Node {
  type: string
  callee?: { name?: string }
  arguments?: (Node & { value?: unknown; quasis?: { value?: { cooked?: string } }[] })[]
}

function visit(node: unknown, look: (node: Node) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, look)
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node) look(node as Node)
    for (const value of Object.values(node)) visit(value, look)
  }
}

/** The texts of a language, by the name of the file. */
export function readCatalogs(folder: string): Map<string, Record<string, string>> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return new Map(names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(folder, name), 'utf8'))]))
}

/** What differs between an English text and its translation; undefined: nothing that matters. */
export function findMismatch(text: string, translation: string, language: string): string | undefined {
  if (translation.trim() === '') return 'is empty'
  const [expected, found] = [text, translation].map((message) => listArguments(parseText(message)).join(', '))
  if (expected !== found) return `has the arguments "${found}", not "${expected}"`
  return findMissingPlural(parseText(translation), language)
}

/** The templates of mails, which people can edit, have variables in double braces. */
const parseText = (text: string) => parse(text.replaceAll(/\{\{(\w+)\}\}/g, '{$1}'))

/** Sorted names of arguments and tags. `{count}` and `{count, plural, …}` are the same argument. */
function listArguments(elements: MessageFormatElement[]): string[] {
  const names = elements.flatMap((element): string[] => {
    if (element.type === TYPE.tag) return [`<${element.value}>`, ...listArguments(element.children)]
    if (element.type === TYPE.select || element.type === TYPE.plural) {
      return [element.value, ...Object.values(element.options).flatMap(({ value }) => listArguments(value))]
    }
    return 'value' in element && element.type !== TYPE.literal ? [element.value] : []
  })
  return [...new Set(names)].sort()
}

/** Every plural form of the language must be there: Arabic has six, Japanese one. */
function findMissingPlural(elements: MessageFormatElement[], language: string): string | undefined {
  for (const element of elements) {
    if (element.type === TYPE.plural) {
      const type = element.pluralType ?? 'cardinal'
      const forms = new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories
      // `many` is for millions in Romance languages, where `other` is right too.
      const needed = language === 'ar' ? forms : forms.filter((form) => form !== 'many')
      const missing = needed.filter((form) => !(form in element.options))
      if (missing.length > 0) return `lacks the plural forms ${missing.join(', ')}`
    }
    const parts = 'options' in element ? Object.values(element.options).map(({ value }) => value) : []
    const inner = element.type === TYPE.tag ? [element.children] : parts
    for (const part of inner) {
      const problem = findMissingPlural(part, language)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}
