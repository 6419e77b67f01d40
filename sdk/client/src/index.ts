// The entry point of the package.
export { type Client, type ClientOptions, createClient, type Input, type Operation, type Reply } from './client.ts'
export { type FieldProblem, LatchkeyError } from './error.ts'
export { type RetryOptions, withRetry } from './retry.ts'
export type * from './types.ts'
