import type { Database } from '../database.ts'
import { DATABASE, type Node } from './nodes.ts'

/** What a node holds at a moment, as it tells itself. */
export interface NodeSample {
  residentMb: number
  heapMb: number
  /** What the engine has taken for the heap; it gives back what it does not use when it likes. */
  heapTotalMb: number
  /** Open file descriptors. */
  descriptors: number
  /** Sockets, timers and the like that libuv holds. */
  handles: number
  eventLoopP99Ms: number
  /** Facts in the caches, which have bounds: memory that grows with them alone is no leak. */
  remembered: number
}

export interface Sample {
  minute: number
  nodes: NodeSample[]
  /** Connections to the database, of both nodes, as the database counts them. */
  connections: number
}

export async function takeSample(nodes: Node[], database: Database, minute: number): Promise<Sample> {
  const [connections, ...samples] = await Promise.all([
    database.countConnections(DATABASE),
    ...nodes.map(sampleNode),
  ])
  return { minute, nodes: samples, connections }
}

async function sampleNode({ url, metricsToken }: Node): Promise<NodeSample> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await response.text()
  const read = (name: string) => {
    const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${url}/metrics does not show ${name}: ${response.status}`)
    return Number(value)
  }
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'gm'))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    )
  return {
    residentMb: read('process_resident_memory_bytes') / 1e6,
    heapMb: read('nodejs_heap_size_used_bytes') / 1e6,
    heapTotalMb: read('nodejs_heap_size_total_bytes') / 1e6,
    descriptors: read('process_open_fds'),
    handles: read('nodejs_active_resources_total'),
    remembered: sum('latchkey_memory_entries'),
    eventLoopP99Ms: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
  }
}
