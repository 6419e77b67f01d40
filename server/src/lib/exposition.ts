/** Figures as Prometheus reads them, of several processes put together. */

interface Family {
  /** The lines that explain it. */
  head: string[]
  type: string
  /** By name and labels, as they stand in the text. */
  samples: Map<string, number>
}

export type Families = Map<string, Family>

/** What is counted adds up, and so does what each process takes for itself. */
const SUMMED =
  /^(?:process_(?!start_)|nodejs_(?:active|heap|external)_|latchkey_(?:database_connection|memory_entries|queue_waiting))/
/** What is well only if it is well everywhere, and what began first. */
const LEAST = /^(?:latchkey_(?:database_up|change_feed_connected)$|process_start_|nodejs_eventloop_lag_min_)/

/** Of all else, such as what is read from the database and is the same for all, the greatest is told. */
function rule(name: string, type: string): (a: number, b: number) => number {
  if (type !== 'gauge' || SUMMED.test(name)) return (a, b) => a + b
  return LEAST.test(name) ? Math.min : Math.max
}

export function readFamilies(text: string): Families {
  const families: Families = new Map()
  let family: Family | undefined
  for (const line of text.split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (word) {
      family = families.get(name) ?? { head: [], type: '', samples: new Map() }
      families.set(name, family)
      family.head.push(line)
      if (word === 'TYPE') family.type = rest
    } else if (line !== '') {
      const end = line.lastIndexOf(' ')
      family?.samples.set(line.slice(0, end), readValue(line.slice(end + 1)))
    }
  }
  return families
}

/** What those families say that only grows. It stays true of a process that is gone. */
export const countedIn = (families: Families): Families =>
  new Map([...families].filter(([, { type }]) => type === 'counter' || type === 'histogram'))

export function addUp(all: Families[]): Families {
  const sum: Families = new Map()
  for (const [name, { head, type, samples }] of all.flatMap((families) => [...families])) {
    const known = sum.get(name) ?? { head, type, samples: new Map<string, number>() }
    sum.set(name, known)
    const join = rule(name, type)
    for (const [key, value] of samples) {
      const before = known.samples.get(key)
      // Who has not measured anything yet says nothing against those who have.
      if (before === undefined || Number.isNaN(before)) known.samples.set(key, value)
      else if (!Number.isNaN(value)) known.samples.set(key, join(before, value))
    }
  }
  return sum
}

export const writeFamilies = (families: Families): string =>
  [...families.values()]
    .map(({ head, samples }) =>
      [...head, ...[...samples].map(([key, value]) => `${key} ${writeValue(value)}`)].join('\n'),
    )
    .join('\n\n')
    .concat('\n')

const readValue = (text: string): number => (/^[+-]Inf$/.test(text) ? Number(`${text}inity`) : Number(text))

const writeValue = (value: number): string =>
  String(value).replace(/^(-?)Infinity$/, (_, sign) => `${sign || '+'}Inf`)
