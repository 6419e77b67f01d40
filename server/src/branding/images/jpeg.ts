import type { Size } from './size.ts'

const START = 0xffd8
const END = 0xffd9
const END_MARKER = Buffer.from([0xff, 0xd9])
const SCAN = 0xda
/** Frame headers, which contain the size: 0xc0 to 0xcf except for the table markers in that range. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The size in the frame header of a complete JPEG file with a scan (ITU T.81 §B). */
export function readJpeg(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== START) return undefined
  if (bytes.readUInt16BE(bytes.length - 2) !== END) return undefined
  let size: Size | undefined
  let at = 2
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end > bytes.length - 2) return undefined
    // A second frame could contradict the first.
    if (isFrame(marker) && (size || end - at < 9)) return undefined
    if (isFrame(marker)) size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // The scan data cannot contain the end marker (§B.1.1.5).
    if (marker === SCAN) return bytes.indexOf(END_MARKER, end) === bytes.length - 2 ? size : undefined
    at = end
  }
  return undefined
}
