import { parseArgs } from 'node:util'

export interface Options {
  quick: boolean
  only: string | undefined
  /** The file of the report. Undefined: it is printed. */
  out: string | undefined
  strict: boolean
  help: boolean
}

/** The bulkhead measurement is not a row. This word selects it in `--only`. */
export const BULKHEADS = 'bulkheads'

export const HELP = `Measures the service, the limits of the machine and other providers.

  npm run bench                     measure everything and write docs/benchmarks.md
  npm run bench -- --quick          one short run of each row, printed
  npm run bench -- --only <word>    the rows whose id contains the word, and the rows they are compared with
  npm run bench -- --only bulkheads latency of other requests during mass sign-in, and while a table is locked

  --out <file>   write the report there, also after --quick and --only
  --strict       exit with 1 when a target is missed; otherwise only an unexpected response does that
  --help         show this help
`

/** Wrong command-line arguments. The message is shown without a stack trace. */
export class UsageError extends Error {}

export function readOptions(args: string[]): Options {
  const { quick, only, out, strict, help } = parse(args)
  if (only === '') throw new UsageError('--only needs a part of the id of a row.')
  const isPartial = quick === true || only !== undefined
  return {
    quick: quick ?? false,
    only,
    out: out ?? (isPartial ? undefined : 'docs/benchmarks.md'),
    strict: strict ?? false,
    help: help ?? false,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string' },
        out: { type: 'string' },
        strict: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}
