import { expect, test } from 'vitest'
import { startDraft, type Texts, takeOver } from '../../../console/src/parts/mails/draft.ts'
import { findMailKind, mails } from '../../../console/src/text/mails.ts'
import { listMailKinds, listVariables } from '../../src/mail/kinds.ts'

const textsWith = (subject: string): Texts => ({ subject, heading: 'Hello', text: 'A text', button: 'Open' })

test('new texts of the service replace a draft in which nothing was typed', () => {
  const { draft } = takeOver(startDraft(textsWith('Old')), textsWith('New'))
  expect(draft.subject).toBe('New')
})

test('new texts of the service never replace what was typed', () => {
  const typed = { ...startDraft(textsWith('Old')), draft: textsWith('Typed') }
  expect(takeOver(typed, textsWith('New')).draft.subject).toBe('Typed')
  expect(takeOver(takeOver(typed, textsWith('New')), textsWith('Newer')).draft.subject).toBe('Typed')
})

test('the same texts, read again, change nothing', () => {
  const typed = { ...startDraft(textsWith('Old')), draft: textsWith('Typed') }
  expect(takeOver(typed, textsWith('Old'))).toBe(typed)
})

test('after a save, the texts as the service has stored them are taken over', () => {
  const saved = { ...startDraft(textsWith('Old')), draft: textsWith('Typed '), base: textsWith('Typed ') }
  expect(takeOver(saved, textsWith('Typed')).draft.subject).toBe('Typed')
})

test.each(listMailKinds())('the console says what the mail %s is for, and what its variables mean', (kind) => {
  expect(findMailKind(kind).when).not.toBe('')
  expect(listVariables(kind).filter((name) => mails.meanings[name] === undefined)).toEqual([])
})
