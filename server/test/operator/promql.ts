import type { ShownSample } from './exposition.ts'

/** What an expression takes for granted of a figure: its name, and what stands in its braces. */
export interface Selector {
  name: string
  matchers: { label: string; operator: string; value: string }[]
}

const WORDS = new Set([
  ...[
    'sum',
    'min',
    'max',
    'count',
    'topk',
    'rate',
    'increase',
    'histogram_quantile',
    'min_over_time',
    'vector',
  ],
  ...['by', 'on', 'and', 'or', 'unless', 'label_values'],
])
const TEXT = /"(?:[^"\\]|\\.)*"/g
/** Labels that Prometheus adds by itself. */
const ADDED = ['job', 'instance', 'le']

/** The labels by which an expression groups. */
export const groupingOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */))

export function selectorsOf(expression: string): Selector[] {
  const bare = expression.replace(/\b(?:by|on) \([^)]*\)/g, '').replace(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/([a-z_:][\w:]*)\s*(?:\{([^}]*)\})?|"(?:[^"\\]|\\.)*"/gi)]
    .filter(([, name]) => name !== undefined && !WORDS.has(name))
    .map(([, name = '', braces = '']) => ({
      name,
      matchers: [...braces.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }))
}

/** Labels whose values appear when there is something to tell of them. */
const NAMES = ['limiter', 'status', 'route', 'task']

const toPattern = (text: string) => new RegExp(`^(?:${text})$`)
const literally = (text: string) => text.replace(/[^\w]/g, '\\$&')

/** Everything an expression asks for that is not shown. */
export function findDead(expression: string, samples: ShownSample[]): string[] {
  const selectors = selectorsOf(expression).filter(({ name }) => name !== 'up')
  const series = selectors.flatMap(({ name }) => samples.filter((sample) => sample.name === name))
  const unknown = groupingOf(expression).filter(
    (label) => !ADDED.includes(label) && !series.some(({ labels }) => label in labels),
  )
  return [
    ...unknown.map((label) => `nothing in "${expression}" has the label ${label}`),
    ...selectors.flatMap((selector) => findMissing(selector, samples)),
  ]
}

function findMissing({ name, matchers }: Selector, samples: ShownSample[]): string[] {
  const shown = samples.filter((sample) => sample.name === name)
  if (shown.length === 0) return [`${name} is not shown`]
  return matchers
    .filter(({ label, value }) => !ADDED.includes(label) && !value.startsWith('$'))
    .filter(({ label, operator, value }) => {
      const values = shown.flatMap(({ labels }) => labels[label] ?? [])
      const wanted = operator.endsWith('~') ? value.split('|').map(toPattern) : [toPattern(literally(value))]
      const isShown = (pattern: RegExp) => values.some((known) => pattern.test(known))
      // Names appear with the first of whom they tell; of values that are set, each must be one.
      return !(NAMES.includes(label) ? wanted.some(isShown) : wanted.every(isShown))
    })
    .map(({ label, operator, value }) => `no ${name} has ${label}${operator}"${value}"`)
}

/** Whether brackets close and quotes end. */
export function isBalanced(expression: string): boolean {
  const bare = expression.replace(TEXT, '')
  const open: string[] = []
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
  for (const sign of bare) {
    if ('([{'.includes(sign)) open.push(sign)
    else if (sign in pairs && open.pop() !== pairs[sign]) return false
  }
  return open.length === 0 && !bare.includes('"')
}
