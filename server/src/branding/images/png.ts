import { crc32 } from 'node:zlib'
import type { Size } from './size.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const HEADER_BYTES = 13
/** Length (4) and type (4) before a chunk's data, and CRC (4) after it. */
const FRAME_BYTES = 12

interface Chunk {
  kind: string
  data: Buffer
}

/** The size in the IHDR chunk of a complete PNG file (PNG §5). */
export function readPng(bytes: Buffer): Size | undefined {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined
  const chunks = readChunks(bytes)
  const header = chunks?.at(0)
  const isWhole = chunks?.some(({ kind }) => kind === 'IDAT') && chunks.at(-1)?.kind === 'IEND'
  if (!isWhole || header?.kind !== 'IHDR' || header.data.length !== HEADER_BYTES) return undefined
  return { width: header.data.readUInt32BE(0), height: header.data.readUInt32BE(4) }
}

/** Returns undefined unless the chunks fill the file and all checksums match. */
function readChunks(bytes: Buffer): Chunk[] | undefined {
  const chunks: Chunk[] = []
  let at = SIGNATURE.length
  while (at + FRAME_BYTES <= bytes.length && chunks.at(-1)?.kind !== 'IEND') {
    const end = at + FRAME_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const checked = bytes.subarray(at + 4, end - 4)
    if (crc32(checked) !== bytes.readUInt32BE(end - 4)) return undefined
    chunks.push({ kind: checked.toString('latin1', 0, 4), data: checked.subarray(4) })
    at = end
  }
  return at === bytes.length ? chunks : undefined
}
