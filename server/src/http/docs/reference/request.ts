import type { TSchema } from 'typebox'
import { createExample } from '../examples.ts'
import type { Operation, Parameter } from './operations.ts'

/** A request that shows how an operation is called. */
export interface SampleRequest {
  method: string
  url: string
  authentication: Operation['authentication']
  /** Media type of the body; undefined without a body. */
  mediaType: string | undefined
  body: unknown
  /** False if the response is a stream or another text. */
  repliesJson: boolean
}

export const exampleOf = ({ schema, name }: Parameter): string => String(createExample(schema as TSchema, name))

/** With the required parameters only, so that the example shows what a first call needs. */
export function createSampleRequest(operation: Operation, baseUrl: string): SampleRequest {
  const { method, parameters, authentication, body, replies } = operation
  const path = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, exampleOf(parameter)), operation.path)
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(exampleOf(parameter))}`)
    .join('&')
  return {
    method,
    url: `${baseUrl}${path}${query && `?${query}`}`,
    authentication,
    mediaType: body?.mediaType,
    body: sampleBodyOf(operation),
    repliesJson: replies[0]?.mediaType === 'application/json',
  }
}

/** The body of the samples and of "Try it". */
export const sampleBodyOf = ({ authentication, body }: Operation): unknown =>
  authentication === 'client' && body ? withoutCredentials(body.example) : body?.example

/** The client authenticates by header, and a form that has a code has neither a refresh token nor a scope. */
const withoutCredentials = (form: unknown): unknown =>
  Object.fromEntries(Object.entries(form as Record<string, unknown>).filter(([name]) => !LEFT_OUT.includes(name)))

const LEFT_OUT = ['client_id', 'client_secret', 'refresh_token', 'scope', 'tenant']
