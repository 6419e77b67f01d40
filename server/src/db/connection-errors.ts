/** SQLSTATE codes of errors with connections, resources and locks, for which a retry may help. */
const RETRYABLE_STATE = /^(?:08...|53...|57P0[1-5]|25006|58030|40001|40P01|55P03)$/
const SOCKET_CODE = /^(?:ECONNREFUSED|ECONNRESET|ENOENT|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/
const SOCKET_SYSCALL = /^(?:connect|read|write|getaddrinfo)$/
/**
 * Errors of the driver without a code, and errors of the server with an ambiguous code: a read-only disk has the code of
 * a missing permission.
 */
const RETRYABLE_MESSAGE =
  /^(?:database ".*" is not currently accepting connections|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error|could not .*: Read-only file system$)/

/** True if the database is unreachable or temporarily unusable, as opposed to an error in the statement. */
export function isConnectionError(error: unknown): boolean {
  // A host name with several addresses yields one error per address.
  if (error instanceof AggregateError) return error.errors.some(isConnectionError)
  if (!(error instanceof Error)) return false
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const isSocketError = SOCKET_CODE.test(code) && SOCKET_SYSCALL.test(syscall)
  return isSocketError || RETRYABLE_STATE.test(code) || RETRYABLE_MESSAGE.test(error.message)
}

/** Class 40: a serialization failure or a deadlock. An immediate retry may succeed. */
const TRANSACTION_ROLLBACK = /^40/

/** A connection error that the next attempt will meet as well: no connection, or a lock that is still held. */
export const isLastingConnectionError = (error: unknown): boolean =>
  isConnectionError(error) && !TRANSACTION_ROLLBACK.test(String((error as NodeJS.ErrnoException).code))
