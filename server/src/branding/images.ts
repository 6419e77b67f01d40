import { readJpeg } from './images/jpeg.ts'
import { readPng } from './images/png.ts'
import type { Size } from './images/size.ts'
import { readWebp } from './images/webp.ts'

export type Image = Size & { type: 'image/png' | 'image/jpeg' | 'image/webp' }

/**
 * Detects the image type by content. Returns undefined unless the file is a complete image without trailing data, because
 * a polyglot file could be interpreted as another type. Image-size libraries are not that strict: they read only headers.
 */
export function readImage(bytes: Buffer): Image | undefined {
  const found = [
    { type: 'image/png' as const, size: readPng(bytes) },
    { type: 'image/jpeg' as const, size: readJpeg(bytes) },
    { type: 'image/webp' as const, size: readWebp(bytes) },
  ].find(({ size }) => size && size.width > 0 && size.height > 0)
  return found?.size && { type: found.type, ...found.size }
}
