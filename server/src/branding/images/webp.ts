import type { Size } from './size.ts'

const FILE_HEADER = 12
const CHUNK_HEADER = 8

interface Chunk {
  kind: string
  data: Buffer
}

/** The size of a complete WebP file (RFC 9649 §2.3). */
export function readWebp(bytes: Buffer): Size | undefined {
  const isWebp =
    bytes.length > FILE_HEADER + CHUNK_HEADER &&
    bytes.toString('latin1', 0, 4) === 'RIFF' &&
    bytes.toString('latin1', 8, 12) === 'WEBP' &&
    bytes.readUInt32LE(4) + 8 === bytes.length
  const chunks = isWebp ? readChunks(bytes) : undefined
  const image = chunks?.find(({ kind }) => kind === 'VP8 ' || kind === 'VP8L')
  if (!chunks || !image) return undefined
  const size = image.kind === 'VP8L' ? readLosslessSize(image.data) : readLossySize(image.data)
  const [first] = chunks
  if (first === image || !size) return size
  // An extended file contains the size twice. Both must be equal.
  const canvas = first?.kind === 'VP8X' ? readCanvasSize(first.data) : undefined
  return canvas?.width === size.width && canvas.height === size.height ? size : undefined
}

/** Chunks of odd length have a padding byte. */
function readChunks(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = FILE_HEADER
  while (at + CHUNK_HEADER <= bytes.length) {
    const length = bytes.readUInt32LE(at + 4)
    const start = at + CHUNK_HEADER
    if (start + length > bytes.length) return undefined
    chunks.push({ kind: bytes.toString('latin1', at, at + 4), data: bytes.subarray(start, start + length) })
    at = start + length + (length % 2)
  }
  return at === bytes.length ? chunks : undefined
}

/** RFC 6386 §9.1: a key frame, its start code, and 14 bits each for width and height. */
function readLossySize(data: Buffer): Size | undefined {
  const isKeyFrame = data.length >= 10 && data.readUInt8(0) % 2 === 0 && data.readUIntBE(3, 3) === 0x9d012a
  if (!isKeyFrame) return undefined
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}

/** RFC 9649 §3.4: a signature, and 14 bits each for width and height minus one. */
function readLosslessSize(data: Buffer): Size | undefined {
  if (data.length < 5 || data.readUInt8(0) !== 0x2f) return undefined
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const readCanvasSize = (data: Buffer): Size | undefined =>
  data.length < 10 ? undefined : { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 }
