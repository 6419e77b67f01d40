import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readImage } from '../../src/branding/images.ts'
import { jpegOf, pngOf, webpOf } from './images.ts'

const KINDS = [
  ['image/png', pngOf],
  ['image/jpeg', jpegOf],
  ['image/webp', webpOf],
] as const

describe.each(KINDS)('%s', (type, make) => {
  test('is recognized by its content, with its size', () => {
    expect(readImage(make(120, 60))).toEqual({ type, width: 120, height: 60 })
  })

  test('is rejected if it is truncated at any length', () => {
    const whole = make(3, 2)
    for (let length = 0; length < whole.length; length++) {
      expect(readImage(whole.subarray(0, length)), String(length)).toBeUndefined()
    }
  })

  test('is rejected with trailing data', () => {
    const script = Buffer.from('<script>alert(1)</script>')
    expect(readImage(Buffer.concat([make(3, 2), script]))).toBeUndefined()
  })

  test('with arbitrary changed bytes is parsed without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), (changes) => {
        const bytes = Buffer.from(make(9, 7))
        for (const [at, value] of changes) bytes.writeUInt8(value, at % bytes.length)
        const found = readImage(bytes)
        expect(found === undefined || (found.width > 0 && found.height > 0)).toBe(true)
      }),
    )
  })
})

test('random bytes are not an image', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => !readImage(Buffer.from(bytes))))
})

test('a PNG with a wrong checksum is rejected', () => {
  const bytes = pngOf(3, 2)
  bytes.writeUInt32BE(5, 16)
  expect(readImage(bytes)).toBeUndefined()
})

test('an image with a width or height of zero is rejected', () => {
  expect(readImage(pngOf(3, 2, { claimed: 0 }))).toBeUndefined()
  expect(readImage(jpegOf(3, 0))).toBeUndefined()
})

test('a JPEG with two frame headers is rejected', () => {
  const image = jpegOf(3, 2)
  const frame = jpegOf(9_000, 9_000).subarray(8, 21)
  expect(readImage(Buffer.concat([image.subarray(0, 21), frame, image.subarray(21)]))).toBeUndefined()
})
