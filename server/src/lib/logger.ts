import { type DestinationStream, type Logger, pino } from 'pino'

/** Redacted as a safeguard, in case a logged object contains one of them. */
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

/** Writes one JSON object per line, to standard output by default. */
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

/** Lines are buffered: one write per line would take longer than a short request. */
const BATCH_BYTES = 8 * 1024
const BATCH_MS = 100

function openStandardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: BATCH_BYTES, periodicFlush: BATCH_MS })
  process.once('exit', () => output.flushSync())
  return output
}

/** A logger without redaction, which takes longer than a short request. Only for lines that contain no secrets. */
export const withoutRedaction = (log: Logger): Logger => log.child({}, { redact: [] })
