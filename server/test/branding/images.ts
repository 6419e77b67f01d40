import { crc32, deflateSync } from 'node:zlib'

/** Generated test images. */

export const asDataUrl = (bytes: Buffer, type = 'image/png') => `data:${type};base64,${bytes.toString('base64')}`

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const length = Buffer.alloc(4)
  const checksum = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A PNG of one color. `claimed` is a false height in its header. */
export function pngOf(width: number, height: number, { shade = 120, claimed = height } = {}): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0])
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(claimed, 4)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, shade)])
  const rows = Buffer.concat(Array.from({ length: height }, () => row))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG with a text chunk of the given size. */
export function pngWith(padding: number): Buffer {
  const whole = pngOf(8, 8)
  const end = whole.length - 12
  return Buffer.concat([whole.subarray(0, end), chunk('tEXt', Buffer.alloc(padding, 97)), whole.subarray(end)])
}

/** A JPEG with the headers that hold its size, and no image data. */
export const jpegOf = (width: number, height: number): Buffer =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1],
    ...[0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 1, 2, 3, 0xff, 0xd9],
  ])

/** A lossless WebP with the header that holds its size, and no image data. */
export function webpOf(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(26)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(18, 4)
  bytes.write('WEBPVP8L', 8, 'latin1')
  bytes.writeUInt32LE(5, 16)
  bytes.writeUInt8(0x2f, 20)
  bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21)
  return bytes
}

export const LOGO = asDataUrl(pngOf(120, 60))
export const OTHER_LOGO = asDataUrl(pngOf(64, 64, { shade: 10 }))
