import { type DestinationStream, type Logger, pino } from 'pino'

/** Nothing secret is logged on purpose; this catches what slips in with an object. */
const SECRET_FIELDS = [
  'password',
  'newPassword',
  'currentPassword',
  'token',
  'secret',
  'client_secret',
  'clientSecret',
  'authorization',
  'cookie',
]

/** One JSON object a line, on standard output unless told otherwise. */
export const createLogger = (level: string, destination: DestinationStream = openStandardOutput()): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[secret]',
      },
    },
    destination,
  )

/** Lines wait for each other until there are so many characters of them, or so many milliseconds are over. */
const BATCH = 16 * 1024
const BATCH_MS = 100

/**
 * Standard output, many lines at a time: to write one by itself takes longer than to answer a short request. What
 * still waits when the process ends is written then.
 */
function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true })
  let waiting = ''
  const write = () => {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    output.write(lines)
  }
  setInterval(write, BATCH_MS).unref()
  process.once('exit', write)
  return {
    write(line) {
      waiting += line
      if (waiting.length > BATCH) write()
    },
  }
}

const INFO = 30

/**
 * Writes lines to where a logger writes, from fields that are JSON already. For what is logged all the time: looking
 * for secrets in a line takes as long as answering several requests, so its fields must be known to hold none.
 */
export function createLineWriter(log: Logger): (fields: string, message: string) => void {
  const output = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]
  if (!output || !log.isLevelEnabled('info')) return () => {}
  let at = { ms: 0, begin: '' }
  return (fields, message) => {
    const ms = Date.now()
    // Of a busy millisecond the beginning is made once.
    if (ms !== at.ms) at = { ms, begin: `{"level":${INFO},"time":"${new Date(ms).toISOString()}",` }
    output.write(`${at.begin}${fields},"msg":"${message}"}\n`)
  }
}
