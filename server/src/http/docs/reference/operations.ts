import { groupBy } from '../../../lib/group-by.ts'

/** The parts of a JSON schema that the API reference shows. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}

export interface Body {
  mediaType: string
  required: boolean
  schema: Schema
  example: unknown
}

export interface Reply {
  status: string
  mediaType: string
  schema: Schema
  example: unknown
  headers: { name: string; description: string }[]
}

export interface OperationError {
  status: string
  code: string
  meaning: string
}

export interface Operation {
  id: string
  method: string
  path: string
  resource: string
  summary: string
  description: string
  authentication: 'token' | 'client' | 'none'
  parameters: Parameter[]
  body: Body | undefined
  replies: Reply[]
  errors: OperationError[]
}

/** The operations with the same tag; each has its own page. */
export interface Resource {
  name: string
  path: string
  description: string
  operations: Operation[]
}

export interface Reference {
  baseUrl: string
  version: string
  resources: Resource[]
  schemas: Record<string, Schema>
}

interface Response {
  $ref?: string
  description: string
  headers?: Record<string, { description: string }>
  content?: Record<string, { schema: Schema; example?: unknown }>
}

interface DescribedOperation {
  operationId: string
  tags: [string]
  summary: string
  description: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example: unknown }> }
  responses: Record<string, Response>
}

interface Description {
  info: { version: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> }
}

/** `Account: second factors` has the path `/docs/account-second-factors`. */
export const resourcePath = (tag: string): string => `/docs/${tag.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

/** Reads the OpenAPI description, so that the reference shows exactly what programs read. */
export function readReference(description: object): Reference {
  const { info, servers, tags, paths, components } = description as Description
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => readOperation(method, path, described)),
  )
  const byResource = groupBy(operations, ({ resource }) => resource)
  return {
    baseUrl: servers[0]?.url ?? '',
    version: info.version,
    schemas: components.schemas,
    resources: tags.map(({ name, description }) => ({
      name,
      description,
      path: resourcePath(name),
      operations: byResource.get(name) ?? [],
    })),
  }
}

function readOperation(method: string, path: string, described: DescribedOperation): Operation {
  const responses = Object.entries(described.responses)
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    resource: described.tags[0],
    summary: described.summary,
    description: described.description,
    authentication: readAuthentication(described.security),
    parameters: described.parameters,
    body: readBody(described),
    replies: responses.filter(([status]) => status < '400').map(([status, response]) => readReply(status, response)),
    errors: responses
      .filter(([status]) => status >= '400')
      .flatMap(([status, { description }]) => readErrors(status, description)),
  }
}

function readAuthentication([first]: Record<string, unknown>[]): Operation['authentication'] {
  if (!first) return 'none'
  return 'clientSecret' in first ? 'client' : 'token'
}

function readBody({ requestBody }: DescribedOperation): Body | undefined {
  const [entry] = Object.entries(requestBody?.content ?? {})
  return entry && { mediaType: entry[0], required: requestBody?.required ?? false, ...entry[1] }
}

function readReply(status: string, { content = {}, headers = {} }: Response): Reply {
  const [mediaType = '', { schema = {}, example } = {}] = Object.entries(content)[0] ?? []
  const described = Object.entries(headers).map(([name, { description }]) => ({ name, description }))
  return { status, mediaType, schema, example, headers: described }
}

/**
 * A description lists `CODE: meaning` in paragraphs; that of an OAuth endpoint lists codes only. Errors that every
 * operation shares are references without a description, and the overview lists them.
 */
function readErrors(status: string, description: string | undefined): OperationError[] {
  if (description === undefined) return []
  return description.split(/\n\n|, (?=[a-z_]+(?:,|$))/).map((line) => {
    const [, code = line, meaning = ''] = /^([A-Z_]+): (.*)$/s.exec(line) ?? []
    return { status, code, meaning }
  })
}
