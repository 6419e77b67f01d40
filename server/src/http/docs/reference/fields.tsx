import type { ComponentChildren } from 'preact'
import type { Parameter, Schema } from './operations.ts'
import { Prose } from './prose.tsx'
import { exampleOf } from './request.ts'

type Schemas = Record<string, Schema>

/** Nested fields deeper than this are named by their type only. */
const MAX_DEPTH = 5

function resolve(schema: Schema, schemas: Schemas): Schema {
  if (schema.$ref === undefined) return schema
  const { $ref, ...own } = schema
  return { ...schemas[$ref.replace('#/components/schemas/', '')], ...own }
}

/** A value or null is described by its value; `describeType` adds "or null". */
function withoutNull(schema: Schema, schemas: Schemas): { schema: Schema; nullable: boolean } {
  const resolved = resolve(schema, schemas)
  const options = resolved.anyOf?.filter(({ type }) => type !== 'null')
  const [only] = options ?? []
  if (!resolved.anyOf || options?.length === resolved.anyOf.length || !only || options?.length !== 1) {
    return { schema: resolved, nullable: resolved.anyOf?.some(({ type }) => type === 'null') ?? false }
  }
  const { anyOf, ...own } = resolved
  return { schema: { ...resolve(only, schemas), ...own }, nullable: true }
}

/** Such as `string`, `list of object` or `integer or null`. */
export function describeType(of: Schema, schemas: Schemas): string {
  const { schema, nullable } = withoutNull(of, schemas)
  const name = () => {
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.anyOf) return describeOptions(schema.anyOf, schemas)
    if (schema.type === 'array') return schema.items ? `list of ${describeType(schema.items, schemas)}` : 'list'
    if (schema.patternProperties) return 'map'
    const type = String(schema.type ?? (schema.enum ? typeof schema.enum[0] : 'any'))
    return schema.format === undefined ? type : `${type} (${schema.format})`
  }
  return nullable ? `${name()} or null` : name()
}

const describeOptions = (options: Schema[], schemas: Schemas): string =>
  [...new Set(options.filter(({ type }) => type !== 'null').map((option) => describeType(option, schemas)))].join(
    ' or ',
  )

/** The limits of a value, in words. */
function describeLimits({ minLength, maxLength, minimum, maximum, minItems, maxItems, ...schema }: Schema): string[] {
  const range = (from: number | undefined, to: number | undefined, unit: string) => {
    const upper = to !== undefined && to < Number.MAX_SAFE_INTEGER ? to : undefined
    if (from !== undefined && upper !== undefined) return `${from} to ${upper}${unit}`
    if (upper !== undefined) return `at most ${upper}${unit}`
    return from === undefined || from === 0 ? undefined : `at least ${from}${unit}`
  }
  return [
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, ' entries'),
    schema.pattern !== undefined && schema.format === undefined ? `pattern ${schema.pattern}` : undefined,
    schema.default !== undefined ? `default ${JSON.stringify(schema.default)}` : undefined,
  ].filter((text) => text !== undefined)
}

/** The object whose fields are shown below a field: of the value, or of the entries of a list. */
function findObject(of: Schema, schemas: Schemas): Schema | undefined {
  const { schema } = withoutNull(of, schemas)
  if (schema.type === 'array' && schema.items) return findObject(schema.items, schemas)
  return schema.properties && Object.keys(schema.properties).length > 0 ? schema : undefined
}

interface FieldProps {
  name: string
  schema: Schema
  schemas: Schemas
  required: boolean
  depth: number
  example?: string
}

function Field({ name, schema: of, schemas, required, depth, example }: FieldProps) {
  const { schema } = withoutNull(of, schemas)
  const nested = depth < MAX_DEPTH ? findObject(of, schemas) : undefined
  const values =
    schema.enum ?? (schema.type === 'array' && schema.items ? resolve(schema.items, schemas).enum : undefined)
  const limits = describeLimits(schema)
  return (
    <li class="property">
      <p class="property-head">
        <code class="name">{name}</code> <span class="type">{describeType(of, schemas)}</span>{' '}
        {required && <span class="required">required</span>}
      </p>
      {schema.description !== undefined && (
        <p>
          <Prose text={schema.description} />
        </p>
      )}
      {values && (
        <p class="values">
          {values.map((value) => (
            <code key={value}>{String(value)}</code>
          ))}
        </p>
      )}
      {limits.length > 0 && <p class="limits">{limits.join(' · ')}</p>}
      {example !== undefined && <p class="limits">for example {example}</p>}
      {nested && (
        <details>
          <summary>Fields of {name}</summary>
          <Fields schema={nested} schemas={schemas} depth={depth + 1} />
        </details>
      )}
    </li>
  )
}

interface FieldsProps {
  schema: Schema
  schemas: Schemas
  depth?: number
}

/** The fields of an object, or of the entries of a list. Without fields, the type. */
export function Fields({ schema, schemas, depth = 0 }: FieldsProps) {
  const object = findObject(schema, schemas)
  if (!object) return <p class="type">{describeType(schema, schemas)}</p>
  return (
    <ul class="properties">
      {Object.entries(object.properties ?? {}).map(([name, property]) => (
        <Field
          key={name}
          name={name}
          schema={property}
          schemas={schemas}
          required={object.required?.includes(name) ?? false}
          depth={depth}
        />
      ))}
    </ul>
  )
}

interface ParametersProps {
  title: ComponentChildren
  parameters: Parameter[]
}

export function Parameters({ title, parameters }: ParametersProps) {
  if (parameters.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="properties">
        {parameters.map((parameter) => (
          <Field
            key={parameter.name}
            name={parameter.name}
            schema={{
              ...(parameter.description !== undefined && { description: parameter.description }),
              ...parameter.schema,
            }}
            schemas={{}}
            required={parameter.required}
            depth={0}
            {...(parameter.in === 'path' && { example: exampleOf(parameter) })}
          />
        ))}
      </ul>
    </>
  )
}
