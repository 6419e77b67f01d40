import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decodeBase64Url } from '../../src/lib/base64url.ts'
import { parseEmail } from '../../src/lib/email.ts'
import { isId, newId, newUniqueId, seedIds } from '../../src/lib/ids.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { createSealer } from '../../src/lib/seal.ts'

describe('a sealed value', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

  test('can be unsealed only with its key and purpose', () => {
    const sealer = createSealer([oldKey])
    const sealed = sealer.seal('mail', 'hällo')
    expect(sealed.toString('latin1')).not.toContain('llo')
    expect(sealer.unseal('mail', sealed)).toBe('hällo')
    expect(() => sealer.unseal('key', sealed)).toThrow()
    expect(() => createSealer([newKey]).unseal('mail', sealed)).toThrow('not configured')
  })

  test('can be unsealed after a key rotation while the old key is configured', () => {
    const sealed = createSealer([oldKey]).seal('mail', 'x')
    expect(createSealer([newKey, oldKey]).unseal('mail', sealed)).toBe('x')
  })

  test('is rejected if a single bit was changed', () => {
    const sealer = createSealer([oldKey])
    const sealed = sealer.seal('mail', 'secret')
    for (let byte = 0; byte < sealed.length; byte++) {
      const altered = Buffer.from(sealed)
      altered[byte] = (altered[byte] ?? 0) ^ 1
      expect(() => sealer.unseal('mail', altered)).toThrow()
    }
  })
})

test('only canonical base64url is decoded', () => {
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

test('a MAC depends on text, purpose and key, and the current key comes first', () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
  const [old] = createSealer([oldKey]).macs('a', 'text')
  const [now, before] = createSealer([newKey, oldKey]).macs('a', 'text')
  expect(before).toEqual(old)
  const others = [now, ...createSealer([oldKey]).macs('b', 'text'), ...createSealer([oldKey]).macs('a', 'other')]
  for (const other of others) expect(other).not.toEqual(old)
})

describe('an email address', () => {
  test.each([
    ['Ann@Example.TEST', 'ann@example.test'],
    ["o'hara+tag@sub.example.co", "o'hara+tag@sub.example.co"],
  ])('%s is parsed as %s', (text, email) => {
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
  ])('%j is rejected', (text) => {
    expect(parseEmail(text)).toBeUndefined()
  })
})

test('secrets in logged objects are redacted, and a line break in a message starts no new log line', () => {
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  log.info({ password: 'hunter2', body: { newPassword: 'hunter2', client_secret: 'hunter2' } }, 'a\nforged')
  log.info({ req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } } }, 'headers')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain('hunter2')
  expect(lines[0]?.trimEnd()).not.toContain('\n')
})

describe('seeded ids', () => {
  const take = (count: number) => Array.from({ length: count }, () => newId())

  test('are the same for the same seed, in ascending order, and never repeat', () => {
    try {
      seedIds('42')
      const ids = take(1_000)
      expect(new Set(ids).size).toBe(1_000)
      expect(ids.toSorted()).toEqual(ids)
      expect(ids.every(isId)).toBe(true)
      seedIds('42')
      expect(take(1_000)).toEqual(ids)
      seedIds('43')
      expect(ids).not.toContain(newId())
    } finally {
      seedIds(undefined)
    }
    expect(newId()).not.toBe(newId())
  })

  test('do not include those in tokens', () => {
    try {
      seedIds('42')
      const id = newUniqueId()
      seedIds('42')
      expect(newUniqueId()).not.toBe(id)
    } finally {
      seedIds(undefined)
    }
  })
})
