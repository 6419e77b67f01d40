import { toChoiceText } from '../languages/choice-text.ts'
import { t, translatable } from '../languages/translate.ts'

/** What a validator of JSON Schema reports about a value. */
export interface ValidatorError {
  keyword: string
  params: Record<string, unknown>
  /** In English. */
  message?: string | undefined
}

/**
 * The sentences of the validator, with the values that it reports. In English they are its own to the letter, because
 * programs compare them.
 */
const TEXTS: Record<string, string> = {
  required: translatable('is required'),
  type: translatable('must be {type}'),
  format: translatable('must match format "{format}"'),
  pattern: translatable('must match pattern "{pattern}"'),
  minLength: translatable('must NOT have fewer than {limit} characters'),
  maxLength: translatable('must NOT have more than {limit} characters'),
  minItems: translatable('must NOT have fewer than {limit} items'),
  maxItems: translatable('must NOT have more than {limit} items'),
  minProperties: translatable('must NOT have fewer than {limit} properties'),
  maxProperties: translatable('must NOT have more than {limit} properties'),
  minimum: translatable('must be >= {limit}'),
  exclusiveMinimum: translatable('must be > {limit}'),
  maximum: translatable('must be <= {limit}'),
  exclusiveMaximum: translatable('must be < {limit}'),
  uniqueItems: translatable('must NOT have duplicate items (items ## {j} and {i} are identical)'),
}

/** One sentence for all errors of a field: for a union type the validator reports one error per alternative. */
export function describeValidatorErrors(errors: readonly ValidatorError[]): string {
  const allowed = errors.flatMap(({ keyword, params }) =>
    keyword === 'const' ? [params.allowedValue] : keyword === 'enum' ? (params.allowedValues as unknown[]) : [],
  )
  if (allowed.length > 0) return t('must be {allowed}', { allowed: toChoiceText(allowed) })
  const [first] = errors
  const text = first && TEXTS[first.keyword]
  return text ? t(text, toTextValues(first.params)) : (first?.message ?? t('is not valid'))
}

const toTextValues = (params: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
