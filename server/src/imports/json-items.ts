import type { Readable } from 'node:stream'
import { OperatorError } from '../errors.ts'

/** One element of a list in a JSON document. */
export interface JsonItem {
  /** The key of the list; empty for a document that is a list itself, and for an object that is not in a list. */
  section: string
  index: number
  /** The line where the element begins. */
  line: number
  /** Undefined when the element is longer than the limit. */
  bytes: Buffer | undefined
}

interface SplitOptions {
  /**
   * The keys of the lists to read from a document that is an object. Empty: an object is itself an element, as in a file
   * with one object per line.
   */
  sections: readonly string[]
  maxBytes: number
}

/**
 * Splits JSON documents into the elements of their lists, so that a large file is never in memory as a whole. Several
 * documents may follow each other. Other parts are skipped. The elements are not parsed.
 */
export async function* splitJson(input: Readable, options: SplitOptions): AsyncGenerator<JsonItem> {
  const scan: Scan = { state: 'root', line: 1, isStart: true, section: '', index: 0, value: undefined }
  for await (const chunk of input as AsyncIterable<Buffer>) yield* scanChunk(scan, chunk, options)
  const { value } = scan
  // The end of the file also ends a number or a word.
  if (value && value.depth === 0 && !value.isQuoted) {
    const item = endValue(scan, value)
    if (item) yield item
  }
  if (scan.state !== 'root' || scan.value) {
    throw new OperatorError(`line ${scan.line}: the file ends within a JSON document. Export it again.`)
  }
}

/** What the scanner expects outside of a value. */
type State = 'root' | 'key' | 'firstKey' | 'colon' | 'value' | 'afterMember' | 'item' | 'firstItem' | 'afterItem'

interface Scan {
  state: State
  line: number
  isStart: boolean
  section: string
  index: number
  /** The value that is being read. */
  value: Value | undefined
}

interface Value {
  purpose: 'key' | 'item' | 'skipped'
  line: number
  depth: number
  isQuoted: boolean
  isEscaped: boolean
  /** The bytes read so far. Undefined: they are not needed, or are too many. */
  parts: Buffer[] | undefined
  size: number
}

const BYTE = Object.fromEntries(
  ['[', ']', '{', '}', '"', '\\', ',', ':', '\n'].map((text) => [text, text.charCodeAt(0)]),
) as Record<string, number>
const BOM = [0xef, 0xbb, 0xbf]
const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

function* scanChunk(scan: Scan, chunk: Buffer, options: SplitOptions): Generator<JsonItem> {
  let start = 0
  for (let i = 0; i < chunk.length; i++) {
    const byte = chunk[i] as number
    const end = scan.value && findEnd(scan.value, byte)
    if (scan.value && end) {
      addBytes(scan.value, chunk.subarray(start, end === 'after' ? i + 1 : i), options)
      const item = endValue(scan, scan.value)
      if (item) yield item
    }
    if (byte === BYTE['\n']) scan.line++
    if (scan.value || end === 'after') continue
    readStructure(scan, byte, options)
    if (scan.value) start = i
  }
  if (scan.value) addBytes(scan.value, chunk.subarray(start), options)
}

/** Whether the value ends before or after this byte. */
function findEnd(value: Value, byte: number): 'before' | 'after' | undefined {
  if (value.isQuoted) {
    if (value.isEscaped) value.isEscaped = false
    else if (byte === BYTE['\\']) value.isEscaped = true
    else if (byte === BYTE['"']) {
      value.isQuoted = false
      return value.depth === 0 ? 'after' : undefined
    }
    return undefined
  }
  if (byte === BYTE['"']) value.isQuoted = true
  else if (byte === BYTE['{'] || byte === BYTE['[']) value.depth++
  else if (byte === BYTE['}'] || byte === BYTE[']']) {
    if (value.depth === 0) return 'before'
    value.depth--
    return value.depth === 0 ? 'after' : undefined
  } else if (value.depth === 0 && (byte === BYTE[','] || isSpace(byte))) return 'before'
  return undefined
}

function addBytes(value: Value, bytes: Buffer, { maxBytes }: SplitOptions): void {
  value.size += bytes.length
  if (value.size > maxBytes) value.parts = undefined
  // A copy: the stream may reuse its memory.
  value.parts?.push(Buffer.from(bytes))
}

/** Continues after the value. Returns the element if it was one. */
function endValue(scan: Scan, { purpose, parts, line }: Value): JsonItem | undefined {
  scan.value = undefined
  const bytes = parts && Buffer.concat(parts)
  if (purpose === 'key') {
    scan.section = bytes?.toString().slice(1, -1) ?? ''
    scan.state = 'colon'
    return undefined
  }
  if (purpose === 'skipped') {
    scan.state = 'afterMember'
    return undefined
  }
  if (scan.state !== 'root') scan.state = 'afterItem'
  return { section: scan.section, index: scan.index++, line, bytes }
}

function begin(scan: Scan, purpose: Value['purpose'], byte: number): void {
  scan.value = {
    purpose,
    line: scan.line,
    depth: 0,
    isQuoted: false,
    isEscaped: false,
    parts: purpose === 'skipped' ? undefined : [],
    size: 0,
  }
  findEnd(scan.value, byte)
}

/** Handles a byte between values. */
function readStructure(scan: Scan, byte: number, options: SplitOptions): void {
  const { isStart } = scan
  if (isSpace(byte) || (isStart && BOM.includes(byte))) return
  scan.isStart = false
  const next = TRANSITIONS[scan.state](scan, byte, options)
  if (next === undefined) throw new OperatorError(`line ${scan.line}: ${EXPECTED[scan.state]}`)
  scan.state = next
}

const isListed = ({ section }: Scan, { sections }: SplitOptions) => sections.includes(section)
const isOpening = (byte: number) => byte === BYTE['['] || byte === BYTE['{']

/** The state after the byte; undefined when the byte is not allowed. */
const TRANSITIONS: Record<State, (scan: Scan, byte: number, options: SplitOptions) => State | undefined> = {
  root(scan, byte, { sections }) {
    if (!isOpening(byte)) return undefined
    scan.section = ''
    if (byte === BYTE['[']) {
      scan.index = 0
      return 'firstItem'
    }
    if (sections.length > 0) return 'firstKey'
    begin(scan, 'item', byte)
    return 'root'
  },
  firstKey: (scan, byte, options) => (byte === BYTE['}'] ? 'root' : TRANSITIONS.key(scan, byte, options)),
  key(scan, byte) {
    if (byte !== BYTE['"']) return undefined
    begin(scan, 'key', byte)
    return 'key'
  },
  colon: (_, byte) => (byte === BYTE[':'] ? 'value' : undefined),
  value(scan, byte, options) {
    if (isListed(scan, options) && byte === BYTE['[']) {
      scan.index = 0
      return 'firstItem'
    }
    if (byte === BYTE[','] || byte === BYTE['}'] || byte === BYTE[']'] || byte === BYTE[':']) return undefined
    begin(scan, 'skipped', byte)
    return 'value'
  },
  afterMember(_, byte) {
    if (byte === BYTE[',']) return 'key'
    return byte === BYTE['}'] ? 'root' : undefined
  },
  firstItem: (scan, byte, options) => (byte === BYTE[']'] ? endList(scan) : TRANSITIONS.item(scan, byte, options)),
  item(scan, byte) {
    if (byte === BYTE[','] || byte === BYTE[']'] || byte === BYTE['}'] || byte === BYTE[':']) return undefined
    begin(scan, 'item', byte)
    return 'item'
  },
  afterItem(scan, byte) {
    if (byte === BYTE[',']) return 'item'
    return byte === BYTE[']'] ? endList(scan) : undefined
  },
}

const endList = ({ section }: Scan): State => (section === '' ? 'root' : 'afterMember')

const EXPECTED: Record<State, string> = {
  root: 'this is not JSON: a document begins with { or [.',
  firstKey: 'this is not valid JSON: a key in quotation marks is missing.',
  key: 'this is not valid JSON: a key in quotation marks is missing.',
  colon: 'this is not valid JSON: a colon is missing after a key.',
  value: 'this is not valid JSON: a value is missing.',
  afterMember: 'this is not valid JSON: a comma or } is missing.',
  firstItem: 'this is not valid JSON: an element of a list is missing.',
  item: 'this is not valid JSON: an element of a list is missing.',
  afterItem: 'this is not valid JSON: a comma or ] is missing.',
}
