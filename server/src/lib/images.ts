import { readJpeg } from './images/jpeg.ts'
import { readPng } from './images/png.ts'
import type { Size } from './images/size.ts'
import { readWebp } from './images/webp.ts'

export type Image = Size & { type: 'image/png' | 'image/jpeg' | 'image/webp' }

/**
 * What a file is by its own bytes, whatever it is called. Undefined for anything but a picture that is all there, with
 * nothing after its end: what might be read as something else too is no picture.
 */
export function readImage(bytes: Buffer): Image | undefined {
  const found = [
    { type: 'image/png' as const, size: readPng(bytes) },
    { type: 'image/jpeg' as const, size: readJpeg(bytes) },
    { type: 'image/webp' as const, size: readWebp(bytes) },
  ].find(({ size }) => size && size.width > 0 && size.height > 0)
  return found?.size && { type: found.type, ...found.size }
}
