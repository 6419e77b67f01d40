import { parseArgs } from 'node:util'

export interface Options {
  quick: boolean
  only: string | undefined
  /** Where the page is written; undefined: it is printed. */
  out: string | undefined
  strict: boolean
  help: boolean
}

/** Those who wait for others are no row: what it is to be measured by. */
export const BULKHEADS = 'bulkheads'

export const HELP = `How fast the service is, beside the limits of the machine and beside other providers.

  npm run bench                     measure everything and write docs/benchmarks.md
  npm run bench -- --quick          one short run of each row, printed
  npm run bench -- --only <word>    the rows whose id contains the word, and what they are compared with
  npm run bench -- --only bulkheads what people wait while others sign in by the thousand, and while a table is locked

  --out <file>   write the page there, also after --quick and --only
  --strict       end with 1 when a target is missed; otherwise only a wrong answer does that
  --help         this
`

/** A mistake of whoever called, told in a sentence. */
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
