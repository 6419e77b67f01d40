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
export const createLogger = (level: string, destination: DestinationStream = pino.destination(1)): Logger =>
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
