/** Troubles of PostgreSQL with connections, resources and locks, by SQLSTATE class or code, in which trying again helps. */
const BY_STATE = /^(?:08...|53...|57P0[1-5]|25006|58030|40001|40P01|55P03)$/
const BY_SOCKET =
  /^(?:ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const OF_SOCKETS = /^(?:connect|read|write|getaddrinfo)$/
/**
 * What the driver says without a code, and the server under one that also means other things: a disk that cannot be
 * written has the code of a missing permission.
 */
const BY_MESSAGE =
  /^(?:database ".*" is not currently accepting connections|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|could not .*: Read-only file system$)/

/** Whether an error means that the database cannot be reached or used just now, rather than that we asked it wrongly. */
export function isDatabaseAway(error: unknown): boolean {
  // A name with several addresses fails once for each of them.
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  if (!(error instanceof Error)) return false
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const socket = BY_SOCKET.test(code) && OF_SOCKETS.test(syscall)
  return socket || BY_STATE.test(code) || BY_MESSAGE.test(error.message)
}

/** Two transactions met, and one gave way: the next may well succeed. */
const GAVE_WAY = /^40/

/** The same for what the next to ask will meet as well: no connection, or a lock that somebody keeps. */
export const isOutOfReach = (error: unknown): boolean =>
  isDatabaseAway(error) && !GAVE_WAY.test(String((error as NodeJS.ErrnoException).code))
