import { isIPv4 } from 'node:net'

/** The value types of a MaxMind file that tests need. */
type Value = string | number | Value[] | { [key: string]: Value }

interface Contents {
  type: string
  ipVersion: 4 | 6
  /** The value of each network, such as 81.2.69.0/24. Networks must not overlap. */
  networks: Record<string, Value>
}

const RECORD_BITS = 24
const SEPARATOR = Buffer.alloc(16)
const METADATA_MARKER = Buffer.concat([Buffer.from('abcdef', 'hex'), Buffer.from('MaxMind.com')])

type Branch = Node | { offset: number } | undefined
interface Node {
  index: number
  children: [Branch, Branch]
}

/** Creates a MaxMind DB file of version 2.0 (https://maxmind.github.io/MaxMind-DB/). */
export function buildMmdb({ type, ipVersion, networks }: Contents): Buffer {
  const nodes: Node[] = []
  const addNode = (): Node => {
    const node: Node = { index: nodes.length, children: [undefined, undefined] }
    nodes.push(node)
    return node
  }
  const root = addNode()
  const data: Buffer[] = []
  let length = 0
  for (const [network, value] of Object.entries(networks)) {
    const path = toBits(network, ipVersion)
    const last = path.pop() ?? 0
    let node = root
    for (const bit of path) {
      const child = node.children[bit]
      if (child && 'offset' in child) throw new Error(`${network} is part of another network`)
      const next = child ?? addNode()
      node.children[bit] = next
      node = next
    }
    const encoded = encode(value)
    node.children[last] = { offset: length }
    data.push(encoded)
    length += encoded.length
  }
  const metadata = encode({
    node_count: nodes.length,
    record_size: RECORD_BITS,
    ip_version: ipVersion,
    database_type: type,
    languages: ['en'],
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    description: { en: 'Made for a test' },
  })
  return Buffer.concat([...nodes.map(writeNode), SEPARATOR, ...data, METADATA_MARKER, metadata])

  function writeNode({ children }: Node): Buffer {
    const record = (branch: Branch) =>
      branch === undefined
        ? nodes.length
        : 'offset' in branch
          ? nodes.length + SEPARATOR.length + branch.offset
          : branch.index
    const bytes = Buffer.alloc((2 * RECORD_BITS) / 8)
    bytes.writeUIntBE(record(children[0]), 0, RECORD_BITS / 8)
    bytes.writeUIntBE(record(children[1]), RECORD_BITS / 8, RECORD_BITS / 8)
    return bytes
  }
}

/** The bits of a network's prefix. In an IPv6 tree, IPv4 is in ::/96. */
function toBits(network: string, ipVersion: 4 | 6): (0 | 1)[] {
  const [address = '', prefix = ''] = network.split('/')
  const isV4 = isIPv4(address)
  const groups = isV4
    ? address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'))
    : expand(address).map((part) => Number.parseInt(part, 16).toString(2).padStart(16, '0'))
  const bits = groups.join('').slice(0, Number(prefix))
  const padded = isV4 && ipVersion === 6 ? '0'.repeat(96) + bits : bits
  return [...padded].map((bit) => (bit === '1' ? 1 : 0))
}

function expand(address: string): string[] {
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
}

const TYPES = { string: 2, uint32: 6, map: 7, array: 11 }

function encode(value: Value): Buffer {
  if (typeof value === 'string') return Buffer.concat([control('string', Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control('uint32', 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control('array', value.length), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control('map', entries.length), ...entries.flat().map(encode)])
}

/** The control bytes of a value: its type and its size. */
function control(type: keyof typeof TYPES, size: number): Buffer {
  const number = TYPES[type]
  const [first, more] = size < 29 ? [size, []] : [29, [size - 29]]
  return Buffer.from(number > 7 ? [first, number - 7, ...more] : [(number << 5) | first, ...more])
}
