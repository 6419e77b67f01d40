import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { LANGUAGE_CHOICES } from '../../../console/src/lib/languages.ts'
import { ERRORS } from '../../src/errors.ts'
import { LANGUAGE_NAMES, LANGUAGES } from '../../src/languages/languages.ts'
import { listMailKinds } from '../../src/mail/kinds.ts'
import { findDefaultText } from '../../src/mail/texts/find-text.ts'
import { extractTexts, findMismatch, listSourceFiles, readCatalogs } from './texts.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TRANSLATIONS = LANGUAGES.filter((language) => language !== 'en')

/** The file of a catalog has the name of a slice of the server, or of a file or folder of texts of the console. */
const nameOf = (path: string): string => path.replace(/^text\//, '').replace(/(?:\/.*|\.tsx?)$/, '')

/** The texts of all mails, but not those that consist of a variable. */
const MAIL_TEMPLATES = listMailKinds()
  .flatMap((kind) => Object.values(findDefaultText(kind)))
  .filter((text) => /\p{L}/u.test(text.replaceAll(/\{\{\w+\}\}/g, '')))

const PROGRAMS = [
  {
    program: 'server',
    sources: join(ROOT, 'server/src'),
    catalogs: join(ROOT, 'server/src/languages/messages'),
    others: [
      ...Object.values(ERRORS).map(([, text]) => ({ file: 'errors.ts', text })),
      ...MAIL_TEMPLATES.map((text) => ({ file: 'mail', text })),
    ],
  },
  {
    program: 'console',
    sources: join(ROOT, 'console/src'),
    catalogs: join(ROOT, 'console/src/languages'),
    others: [],
  },
]

describe.each(PROGRAMS)('$program', ({ sources, catalogs, others }) => {
  const files = listSourceFiles(sources).map((file) => extractTexts(file, readFileSync(join(sources, file), 'utf8')))
  const expected = new Map<string, string[]>()
  for (const { file, text } of [...files.flatMap(({ texts }) => texts), ...others]) {
    expected.set(nameOf(file), [...(expected.get(nameOf(file)) ?? []), text])
  }

  test('no text is put together from parts', () => {
    expect(files.flatMap(({ problems }) => problems)).toEqual([])
  })

  test.each(TRANSLATIONS)('every text has a translation with the same arguments: %s', (language) => {
    const found = readCatalogs(join(catalogs, language))
    const problems: string[] = []
    for (const [name, texts] of expected) {
      const catalog = found.get(name) ?? {}
      for (const text of texts) {
        const translation = catalog[text]
        const problem = translation === undefined ? 'is missing' : findMismatch(text, translation, language)
        if (problem !== undefined) problems.push(`${name}.json: ${text}: ${problem}`)
      }
    }
    expect([...new Set(problems)]).toEqual([])
  })

  test.each(TRANSLATIONS)('no translation is left over, and a text has one only: %s', (language) => {
    const problems: string[] = []
    const seen = new Map<string, string>()
    for (const [name, catalog] of readCatalogs(join(catalogs, language))) {
      const texts = new Set(expected.get(name))
      for (const [text, translation] of Object.entries(catalog)) {
        if (!texts.has(text)) problems.push(`${name}.json: ${text}: is not used`)
        if ((seen.get(text) ?? translation) !== translation) problems.push(`${name}.json: ${text}: differs elsewhere`)
        seen.set(text, translation)
      }
    }
    expect(problems).toEqual([])
  })
})

test.each([
  ['Save {name}', 'Speichern', 'de', 'has the arguments "", not "name"'],
  ['<b>{name}</b>', '{name}', 'de', 'has the arguments "name", not "<b>, name"'],
  ['{n, plural, one {#} other {#}}', '{n, plural, other {#}}', 'de', 'lacks the plural forms one'],
  ['{n, plural, one {#} other {#}}', '{n, plural, other {#}}', 'ja', undefined],
  [
    '{n, plural, one {#} other {#}}',
    '{n, plural, one {#} other {#}}',
    'ar',
    'lacks the plural forms few, many, two, zero',
  ],
  ['Save', ' ', 'de', 'is empty'],
])('compares "%s" with "%s" in %s', (text, translation, language, problem) => {
  expect(findMismatch(text, translation, language)).toBe(problem)
})

test('the console offers the languages of the server, by the same names', () => {
  expect(LANGUAGE_CHOICES).toEqual(LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] })))
})
