/**
 * A database URL may name several servers, as in libpq: postgres://user@one:5432,two:5432/latchkey. All of them hold the
 * same database, and one of them accepts writes.
 */

const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?@]*,[^/?@]*)((?:[/?].*)?)$/s
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** One URL per server. */
export function splitHosts(address: string): string[] {
  const [, before = '', hosts, after = ''] = SEVERAL.exec(address) ?? []
  return hosts === undefined ? [address] : hosts.split(',').map((host) => before + host + after)
}

/** The error message for an invalid URL with several servers. */
export function findHostProblem(address: string): string | undefined {
  const hosts = SEVERAL.exec(address)?.[2]
  if (hosts === undefined) return undefined
  if (!hosts.split(',').every((host) => HOST.test(host))) {
    return 'must name each of its servers as host or host:port, separated by commas.'
  }
  const attributes = /[?&]target_session_attrs=([^&]*)/.exec(address)?.[1] ?? 'read-write'
  if (attributes === 'read-write' || attributes === 'primary') return undefined
  return 'names several servers, so target_session_attrs must be read-write: every connection is written on.'
}
