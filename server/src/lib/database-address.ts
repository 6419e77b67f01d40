/**
 * An address may name several servers, as libpq allows: postgres://user@one:5432,two:5432/latchkey. All of them hold the
 * same database, and one of them takes writes.
 */

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?@]*,[^/?@]*)((?:[/?].*)?)$/s
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** One address for each server that an address names. */
export function splitHosts(address: string): string[] {
  const [, before = '', hosts, after = ''] = SEVERAL.exec(address) ?? []
  return hosts === undefined ? [address] : hosts.split(',').map((host) => before + host + after)
}

/** What is wrong with an address that names several servers, for whoever set it. */
export function findHostProblem(address: string): string | undefined {
  const hosts = SEVERAL.exec(address)?.[2]
  if (hosts === undefined) return undefined
  if (!hosts.split(',').every((host) => HOST.test(host))) {
    return 'must name each of its servers as host or host:port, separated by commas.'
  }
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(address)?.[1] ?? 'read-write'
  if (wanted === 'read-write' || wanted === 'primary') return undefined
  return 'names several servers, so target_session_attrs must be read-write: every connection is written on.'
}
