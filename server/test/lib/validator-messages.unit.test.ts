import { Ajv, type ErrorObject } from 'ajv'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { runInLanguage } from '../../src/languages/current-language.ts'
import { describeValidatorErrors } from '../../src/lib/validator-messages.ts'

const ajv = new Ajv({ allErrors: true, strict: false })
formats.default(ajv)

function errorsOf(schema: object, value: unknown): ErrorObject[] {
  const validate = ajv.compile(schema)
  validate(value)
  return validate.errors ?? []
}

const CASES: [object, unknown, string][] = [
  [{ type: 'string' }, 1, 'muss vom Typ string sein'],
  [{ type: ['string', 'null'] }, 1, 'muss vom Typ string,null sein'],
  [{ format: 'uuid' }, 'x', 'muss das Format „uuid“ haben'],
  [{ pattern: "^[a-z]'{2}<b>$" }, 'X', "muss dem Muster „^[a-z]'{2}<b>$“ entsprechen"],
  [{ minLength: 1 }, '', 'darf nicht weniger als 1 Zeichen haben'],
  [{ maxLength: 1_000 }, 'x'.repeat(1_001), 'darf nicht mehr als 1000 Zeichen haben'],
  [{ minItems: 1 }, [], 'darf nicht weniger als 1 Einträge haben'],
  [{ maxItems: 1 }, [1, 2], 'darf nicht mehr als 1 Einträge haben'],
  [{ minProperties: 2 }, {}, 'darf nicht weniger als 2 Eigenschaften haben'],
  [{ maxProperties: 0 }, { a: 1 }, 'darf nicht mehr als 0 Eigenschaften haben'],
  [{ minimum: 1 }, 0, 'muss mindestens 1 sein'],
  [{ exclusiveMinimum: 1 }, 1, 'muss größer als 1 sein'],
  [{ maximum: 1_000_000 }, 1_000_001, 'darf höchstens 1000000 sein'],
  [{ exclusiveMaximum: 0.5 }, 1, 'muss kleiner als 0.5 sein'],
  [{ uniqueItems: true }, ['a', 'a'], 'darf keine doppelten Einträge haben (die Einträge 0 und 1 sind gleich)'],
]

test.each(CASES)(
  'the English sentence is that of the validator, and it has a translation: %j',
  (schema, value, german) => {
    const errors = errorsOf(schema, value)
    expect(errors).toHaveLength(1)
    expect(describeValidatorErrors(errors)).toBe(errors[0]?.message)
    expect(runInLanguage('de', () => describeValidatorErrors(errors))).toBe(german)
  },
)

test.each([
  [['A'], 'must be A', 'muss A sein'],
  [['A', 'B'], 'must be A or B', 'muss A oder B sein'],
  [['A', 'B', 'C'], 'must be A, B or C', 'muss A, B oder C sein'],
])('allowed values are listed in each language: %j', (allowed, english, german) => {
  const alternatives = { anyOf: allowed.map((value) => ({ const: value })) }
  for (const errors of [errorsOf({ enum: allowed }, 'X'), errorsOf(alternatives, 'X')]) {
    expect(describeValidatorErrors(errors)).toBe(english)
    expect(runInLanguage('de', () => describeValidatorErrors(errors))).toBe(german)
  }
})

test('a sentence that is not known stays as it is', () => {
  const errors = errorsOf({ not: {} }, 1)
  expect(runInLanguage('de', () => describeValidatorErrors(errors))).toBe('must NOT be valid')
  expect(runInLanguage('de', () => describeValidatorErrors([]))).toBe('ist ungültig')
})
