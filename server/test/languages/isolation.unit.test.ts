import { h } from 'preact'
import { expect, test } from 'vitest'
import { runInLanguage } from '../../src/languages/current-language.ts'
import { t } from '../../src/languages/translate.ts'
import { render } from '../../src/ui/render.ts'
import { rich } from '../../src/ui/rich-text.ts'

// The texts have no translation, so that they stay as they are.
const NAME = '{count, plural, other {{role, select, OWNER {{name} owns} other {{name} is in}} # tenants}}'

test('in Arabic a name in a text has its own direction, also in a plural form, and choices work as before', () => {
  const values = { count: 3, role: 'OWNER', name: 'Ann (Acme)' }
  expect(runInLanguage('ar', () => t(NAME, values))).toBe('\u2068Ann (Acme)\u2069 owns 3 tenants')
  expect(runInLanguage('de', () => t(NAME, values))).toBe('Ann (Acme) owns 3 tenants')
})

test('in Arabic an element in a text has its own direction, and nothing is added to what people copy', () => {
  const page = runInLanguage('ar', () =>
    h('p', {}, rich('to <b>{name}</b>', { name: 'Ann', b: (name) => h('b', {}, name) })),
  )
  expect(render(page)).toContain('<p>to \u2068<b>Ann</b>\u2069</p>')
})
