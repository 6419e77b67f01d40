import type { Database } from '../database.ts'
import { DATABASE, type Node } from './nodes.ts'

/** Resources of a node, from its metrics. */
export interface NodeSample {
  residentMb: number
  heapMb: number
  /** Allocated heap. V8 returns unused memory with a delay. */
  heapTotalMb: number
  descriptors: number
  /** Active libuv resources: sockets, timers and the like. */
  handles: number
  eventLoopP99Ms: number
  /** The caches are bounded, so memory that grows only with them is not a leak. */
  cacheEntries: number
}

export interface Sample {
  minute: number
  nodes: NodeSample[]
  /** Database connections of both nodes, from pg_stat_activity. */
  connections: number
}

export async function takeSample(nodes: Node[], database: Database, minute: number): Promise<Sample> {
  const [connections, ...samples] = await Promise.all([database.countConnections(DATABASE), ...nodes.map(sampleNode)])
  return { minute, nodes: samples, connections }
}

async function sampleNode({ url, metricsToken }: Node): Promise<NodeSample> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await response.text()
  const read = (name: string) => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${url}/metrics does not contain ${name}: ${response.status}`)
    return Number(value)
  }
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'gm'))].reduce((all, [, value]) => all + Number(value), 0)
  return {
    residentMb: read('process_resident_memory_bytes') / 1e6,
    heapMb: read('nodejs_heap_size_used_bytes') / 1e6,
    heapTotalMb: read('nodejs_heap_size_total_bytes') / 1e6,
    descriptors: read('process_open_fds'),
    handles: read('nodejs_active_resources_total'),
    cacheEntries: sum('latchkey_memory_entries'),
    eventLoopP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
  }
}
