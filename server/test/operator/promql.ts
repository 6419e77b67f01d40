import type { Sample } from './exposition.ts'

/** A metric selector of an expression: name and label matchers. */
export interface Selector {
  name: string
  matchers: { label: string; operator: string; value: string }[]
}

const KEYWORDS = new Set([
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
  'by',
  'on',
  'and',
  'or',
  'unless',
  'label_values',
])
const TEXT = /"(?:[^"\\]|\\.)*"/g
/** Labels that Prometheus adds. */
const ADDED = ['job', 'instance', 'le']

/** The grouping labels of an expression. */
export const listGroupingLabels = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */))

export function listSelectors(expression: string): Selector[] {
  const bare = expression.replace(/\b(?:by|on) \([^)]*\)/g, '').replace(/\[[^\]]*\]/g, '')
  return [...bare.matchAll(/([a-z_:][\w:]*)\s*(?:\{([^}]*)\})?|"(?:[^"\\]|\\.)*"/gi)]
    .filter(([, name]) => name !== undefined && !KEYWORDS.has(name))
    .map(([, name = '', braces = '']) => ({
      name,
      matchers: [...braces.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
      ),
    }))
}

/** Labels whose values appear only with the first sample. */
const DYNAMIC_LABELS = ['limiter', 'status', 'route', 'task']

const toPattern = (text: string) => new RegExp(`^(?:${text})$`)
const escapePattern = (text: string) => text.replace(/[^\w]/g, '\\$&')

/** Metrics, labels and values of an expression that do not exist. */
export function findUnknownMetrics(expression: string, samples: Sample[]): string[] {
  const selectors = listSelectors(expression).filter(({ name }) => name !== 'up')
  const series = selectors.flatMap(({ name }) => samples.filter((sample) => sample.name === name))
  const unknown = listGroupingLabels(expression).filter(
    (label) => !ADDED.includes(label) && !series.some(({ labels }) => label in labels),
  )
  return [
    ...unknown.map((label) => `nothing in "${expression}" has the label ${label}`),
    ...selectors.flatMap((selector) => findMissing(selector, samples)),
  ]
}

function findMissing({ name, matchers }: Selector, samples: Sample[]): string[] {
  const existing = samples.filter((sample) => sample.name === name)
  if (existing.length === 0) return [`${name} does not exist`]
  return matchers
    .filter(({ label, value }) => !ADDED.includes(label) && !value.startsWith('$'))
    .filter(({ label, operator, value }) => {
      const values = existing.flatMap(({ labels }) => labels[label] ?? [])
      const patterns = operator.endsWith('~') ? value.split('|').map(toPattern) : [toPattern(escapePattern(value))]
      const exists = (pattern: RegExp) => values.some((known) => pattern.test(known))
      // Of dynamic labels one value must exist, of fixed labels all.
      return !(DYNAMIC_LABELS.includes(label) ? patterns.some(exists) : patterns.every(exists))
    })
    .map(({ label, operator, value }) => `no ${name} has ${label}${operator}"${value}"`)
}

/** Brackets and quotes are closed. */
export function isBalanced(expression: string): boolean {
  const bare = expression.replace(TEXT, '')
  const open: string[] = []
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' }
  for (const character of bare) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in pairs && open.pop() !== pairs[character]) return false
  }
  return open.length === 0 && !bare.includes('"')
}
