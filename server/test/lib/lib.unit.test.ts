import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decodeBase64Url } from '../../src/lib/base64url.ts'
import { parseEmail } from '../../src/lib/email.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'

describe('a sealed value', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

  test('opens with its key and purpose only', () => {
    const sealer = createSealer([oldKey])
    const sealed = sealer.seal('mail', 'hällo')
    expect(sealed.toString('latin1')).not.toContain('llo')
    expect(sealer.unseal('mail', sealed)).toBe('hällo')
    expect(() => sealer.unseal('key', sealed)).toThrow()
    expect(() => createSealer([newKey]).unseal('mail', sealed)).toThrow('not configured')
  })

  test('survives the change to a new key while the old one is still listed', () => {
    const sealed = createSealer([oldKey]).seal('mail', 'x')
    expect(createSealer([newKey, oldKey]).unseal('mail', sealed)).toBe('x')
  })

  test('is refused when a single bit of it was changed', () => {
    const sealer = createSealer([oldKey])
    const sealed = sealer.seal('mail', 'secret')
    for (let byte = 0; byte < sealed.length; byte++) {
      const altered = Buffer.from(sealed)
      altered[byte] = (altered[byte] ?? 0) ^ 1
      expect(() => sealer.unseal('mail', altered)).toThrow()
    }
  })
})

test('base64url has one spelling for each row of bytes', () => {
  for (const length of [0, 1, 2, 3, 32, 255, 256, 384]) {
    const bytes = randomBytes(length)
    const text = bytes.toString('base64url')
    expect(decodeBase64Url(text)).toEqual(bytes)
    for (const other of [`${text}=`, `${text} `, `\n${text}`, `${text}A`, `${text}!`]) {
      expect(decodeBase64Url(other)?.equals(bytes) ?? false, JSON.stringify(other)).toBe(false)
    }
  }
  expect(decodeBase64Url('AA')).toEqual(Buffer.from([0]))
  expect(decodeBase64Url('AB')).toBeUndefined()
  expect(decodeBase64Url('+/+/')).toBeUndefined()
})

test('what tells a text apart depends on text, purpose and key, and the first key comes first', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const [old] = createSealer([oldKey]).macs('a', 'text')
  const [now, before] = createSealer([newKey, oldKey]).macs('a', 'text')
  expect(before).toEqual(old)
  const others = [
    now,
    ...createSealer([oldKey]).macs('b', 'text'),
    ...createSealer([oldKey]).macs('a', 'other'),
  ]
  for (const other of others) expect(other).not.toEqual(old)
})

describe('an e-mail address', () => {
  test.each([
    ['Ann@Example.TEST', 'ann@example.test'],
    ["o'hara+tag@sub.example.co", "o'hara+tag@sub.example.co"],
  ])('%s is taken as %s', (text, email) => {
    expect(parseEmail(text)).toBe(email)
  })

  test.each([
    '',
    'ann',
    'ann@',
    '@example.test',
    'ann@localhost',
    'a@x.test,b@y.test',
    'a@x.test\r\nBcc: b@y.test',
    'a\0@x.test',
    'ann＠example.test',
    '"ann b"@example.test',
    'ann@exa mple.test',
    'ann@-example.test',
    'ann..b@example.test',
    'ann@example..test',
    'a@b@example.test',
    ' ann@example.test',
    `${'x'.repeat(65)}@example.test`,
    `ann@${'x'.repeat(64)}.test`,
    `ann@${'x.'.repeat(126)}test`,
  ])('%j is none', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})

test('a secret that slips into a log object is not written, and a line break starts no new line', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  log.info({ password: 'hunter2', body: { newPassword: 'hunter2', client_secret: 'hunter2' } }, 'a\nforged')
  log.info({ req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } } }, 'headers')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain('hunter2')
  expect(lines[0]?.trimEnd()).not.toContain('\n')
})
